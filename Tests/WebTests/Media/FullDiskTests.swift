import Community
import Foundation
import HTTPTypes
import Postgres
import TestSupport
import Testing

@testable import Web

/// Pictures on a disk that is full to its last byte, or nearly, or becomes full in the middle of one.
@Suite(
    .database, .enabled(if: Pictures.canBeConverted),
    .enabled(if: SmallDisk.canBeMounted || ProofCount.isFull, Comment(rawValue: SmallDisk.isMissing)))
struct FullDiskTests {
    private static let png: HTTPFields = [.contentType: "image/png"]

    @Test func `a full disk takes no picture and says when to try again, keeps nothing half, and heals by itself`()
        async throws
    {
        try #require(SmallDisk.canBeMounted, "\(SmallDisk.isMissing), and a full proof needs it")
        try await withApp(leaving: [.outbox, .jobs]) { app in
            let disk = try SmallDisk(at: app.world.mediaFolder, kibibytes: 4096)
            defer { disk.unmount() }
            func put(_ side: Int) async throws -> TestAnswer {
                let account = try await app.world.given.account()
                return try await app.as(account).send(
                    .put, "/api/v1/me/picture", body: try Pictures.halves(side, side, as: "a.png"), headers: Self.png)
            }
            // Before there is any folder, and with all that a first picture made.
            for round in 0..<2 {
                try disk.fill()
                let before = try files(in: app.world.mediaFolder)
                for number in 0..<max(4, ProofCount.of(40)) {
                    let answer = try await put(100 + 10 * round + number)
                    #expect(answer.status.code == 507 && answer.code == "no_room", "\(answer.text)")
                    #expect(answer.headers[.retryAfter] == "60")
                }
                #expect(try files(in: app.world.mediaFolder) == before)
                disk.makeRoom()
                #expect(try await put(300 + round).status == .created)
            }
            // Room for a part of what a picture needs: it is taken whole, or not at all.
            var taken = 2
            let steps = stride(from: 0, through: 64 * 1024, by: 4096)
            for free in ProofCount.isFull ? Array(steps) : [0, 4096, 16_384, 32_768, 65_536] {
                try disk.fill(leaving: free)
                let before = try files(in: app.world.mediaFolder)
                let answer = try await put(400 + free / 1024)
                disk.makeRoom()
                if answer.status == .created {
                    taken += 1
                } else {
                    #expect(answer.status.code == 507 && answer.code == "no_room", "\(free): \(answer.text)")
                    // Files of a picture that had no room to the end are whole, nobody's, and go with the next sweep.
                    try await sweep(app)
                    #expect(try files(in: app.world.mediaFolder) == before, "\(free) bytes were free")
                }
            }
            #expect(try await put(500).status == .created)
            #expect(try await app.world.asSuperuser("select count(*) from picture") == [["\(taken + 1)"]])
            let differences = try await app.world.database.differences(of: Media.self)
            #expect(differences.isEmpty)
        }
    }

    private func sweep(_ app: TestApp) async throws {
        _ = try await app.world.community.media.sweep(grace: .zero)
    }

    /// All files below the folder but what fills the disk.
    private func files(in folder: String) throws -> [String] {
        let all = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
        return all.filter { name in
            var isFolder: ObjCBool = false
            _ = FileManager.default.fileExists(atPath: folder + "/" + name, isDirectory: &isFolder)
            return !isFolder.boolValue && name != "filling" && name != "commonplace-media"
        }.sorted()
    }
}
