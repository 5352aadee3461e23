import Foundation
import Postgres
import TestSupport
import Testing

@testable import Community
@testable import Jobs

@Suite(.database, .enabled(if: Pictures.canBeConverted))
struct MediaStoreTests {
    @Test func `a picture is shown, replaced and taken away, and what nothing uses goes with it`() async throws {
        try await withWorld(leaving: [.outbox]) { world in
            let media = world.community.media
            let ann = try await world.given.account().id
            let first = try await world.given.picture(red: true)
            let (shown, isFirst) = try await media.show(first, alt: "Ann in red", of: ann)
            #expect(isFirst)
            try await media.settle(first)
            #expect(try await media.picture(of: ann) == shown)
            #expect(shown.alt == "Ann in red" && shown.variants.map(\.width) == [48, 96, 192, 384])
            #expect(try await media.file(shown.variants[0].hash).type == "image/jpeg")

            let second = try await world.given.picture(red: false)
            #expect(try await !media.show(second, alt: nil, of: ann).isFirst)
            #expect(try await world.drainMedia() == 1)
            #expect(try world.files().count == 4)
            await #expect(throws: Failure.notFound("picture")) { try await media.file(shown.variants[0].hash) }
            #expect(try await world.pictureDifferences().isEmpty)

            try await media.removePicture(of: ann)
            #expect(try await world.drainMedia() == 1)
            #expect(try await media.picture(of: ann) == nil)
            #expect(try world.files().isEmpty)
            #expect(try await world.asSuperuser("select bytes, pictures from media_tally") == [["0", "0"]])
            try await media.removePicture(of: ann)
        }
    }

    @Test func `a file that two readers share stays until both are done with it`() async throws {
        try await withWorld(leaving: [.outbox]) { world in
            let media = world.community.media
            let (ann, ben) = (try await world.given.account().id, try await world.given.account().id)
            let picture = try await world.given.picture(red: true)
            for reader in [ann, ben] { _ = try await media.show(picture, alt: nil, of: reader) }

            try await media.removePicture(of: ann)
            try await world.drainMedia()
            #expect(try await media.file(picture.variants[0].hash).bytes == picture.files[0].bytes)

            try await media.removePicture(of: ben)
            try await world.drainMedia()
            #expect(try world.files().isEmpty)
        }
    }

    @Test func `the quota is the reader's, and holds however many come at once`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let media = world.community.media
            let ann = try await world.given.account().id
            let pictures = [
                try await world.given.picture(red: true), try await world.given.picture(red: false, width: 390),
            ]
            let sizes = pictures.sorted { $0.size < $1.size }
            let (picture, larger) = (sizes[0], sizes[1])
            _ = try await media.show(picture, alt: nil, of: ann)
            let others = Limits.media.quota - picture.size
            try await world.asSuperuser("update media_tally set bytes = bytes + \(others)")
            #expect(larger.size > picture.size)

            await #expect(throws: Media.Refusal.quota(.profile)) { _ = try await media.show(larger, alt: nil, of: ann) }
            #expect(try await media.picture(of: ann)?.variants == picture.variants)
            #expect(try await world.asSuperuser("select count(*) from picture") == [["1"]])

            try await world.asSuperuser("update media_tally set bytes = bytes - \(others)")
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<8 { group.addTask { _ = try await media.show(larger, alt: nil, of: ann) } }
                try await group.waitForAll()
            }
            #expect(try await world.asSuperuser("select count(*) from picture") == [["1"]])
            #expect(try await world.pictureDifferences().isEmpty)
        }
    }

    @Test func `the end of an account is the end of its pictures, and suspension hides them`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let media = world.community.media
            let ann = try await world.given.account("ann")
            let picture = try await world.given.picture(red: true)
            _ = try await media.show(picture, alt: "Ann", of: ann.id)
            let hash = picture.variants[0].hash

            try await world.asSuperuser("update account set state = 'suspended' where id = \(ann.id)")
            await #expect(throws: Failure.notFound("picture")) { try await media.file(hash) }
            try await world.asSuperuser("update account set state = 'active' where id = \(ann.id)")
            #expect(try await media.file(hash).bytes == picture.files[0].bytes)

            try await world.community.accounts.close(ann.id)
            try await world.drainMedia()
            #expect(try world.files().isEmpty)
            #expect(try await world.asSuperuser("select count(*) from picture") == [["0"]])
            #expect(try await world.pictureDifferences().isEmpty)
        }
    }

    @Test func `who was frozen or left while a picture was converted shows none`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let media = world.community.media
            let (ann, ben) = (try await world.given.account().id, try await world.given.account().id)
            let picture = try await world.given.picture(red: true)
            _ = try await media.show(picture, alt: nil, of: ben)
            try await world.asSuperuser("update account set state = 'frozen' where id = \(ben)")
            try await world.community.accounts.close(ann)

            await #expect(throws: Failure.unauthenticated()) { _ = try await media.show(picture, alt: nil, of: ann) }
            let frozen = Failure.forbidden(
                code: .accountFrozen, "this account is frozen: it reads and does not write")
            await #expect(throws: frozen) { _ = try await media.show(picture, alt: "x", of: ben) }
            await #expect(throws: frozen) { try await media.removePicture(of: ben) }
            #expect(try await world.asSuperuser("select owner_id::text from picture") == [["\(ben)"]])
            #expect(try await world.pictureDifferences().isEmpty)
        }
    }

    @Test func `the sweep removes files without a row and says which rows are without a file`() async throws {
        try await withWorld(leaving: [.outbox]) { world in
            let media = world.community.media
            let ann = try await world.given.account().id
            let picture = try await world.given.picture(red: true)
            _ = try await media.show(picture, alt: nil, of: ann)
            let stray = try await world.given.picture(red: false)
            let hash = picture.variants[0].hash

            // What has just been stored may belong to a write that is under way.
            #expect(try await media.sweep() == .init())
            #expect(try world.files().count == 8)
            world.clock.advance(by: .seconds(3601))
            #expect(try await media.sweep() == .init(strays: 4))
            #expect(try world.files().count == 4)

            try await media.facilities.store.remove(hash)
            #expect(try await media.sweep(grace: .zero) == .init(missing: 1))
            #expect(try await media.sweep(grace: .zero) == .init())
            #expect(try await world.pictureDifferences().count == 1)
            await #expect(throws: Failure.notFound("picture")) { try await media.file(hash) }
            try await media.facilities.store.put(picture.files[0].bytes, as: hash)
            let swept = try await media.sweep(grace: .zero)
            #expect(swept == .init(found: 1))
            #expect(try await media.file(hash).bytes == picture.files[0].bytes)

            // Bytes that a sweep took between conversion and write are put back.
            _ = try await media.show(stray, alt: nil, of: ann)
            #expect(try world.files().count == 4)
            try await media.settle(stray)
            #expect(try world.files().count == 8)
            try await world.drainMedia()
        }
    }

    @Test func `the sweep has its schedule, and does its work as a job`() async throws {
        try await withWorld { world in
            _ = try await world.given.picture(red: true)
            world.clock.advance(by: .seconds(3601))
            let worker = Jobs.Worker(database: world.database, logger: world.logger)
            Media.register(on: worker, community: world.community)
            try await worker.enqueueSlots()
            #expect(try await world.asSuperuser("select kind from job") == [["media.sweep"]])
            let drained = try await worker.drain()
            #expect(drained.done == 1 && drained.failures.isEmpty)
            #expect(try world.files().isEmpty)
        }
    }

    @Test func `a folder that is not ours is not believed to be empty`() async throws {
        try await withWorld { world in
            let media = world.community.media
            let ann = try await world.given.account().id
            _ = try await media.show(try await world.given.picture(red: true), alt: nil, of: ann)
            try FileManager.default.removeItem(atPath: world.mediaFolder)
            try FileManager.default.createDirectory(atPath: world.mediaFolder, withIntermediateDirectories: true)

            await #expect(throws: Media.FolderStore.Absent.self) { _ = try await media.sweep(grace: .zero) }
            #expect(try await world.pictureDifferences().isEmpty)
        }
    }

    @Test func `where there never was a picture, nothing is swept`() async throws {
        try await withWorld { world in
            #expect(!FileManager.default.fileExists(atPath: world.mediaFolder))
            let swept = try await world.community.media.sweep(grace: .zero)
            #expect(swept == Media.Store.Swept())
        }
    }

    @Test func `a nearly full disk takes no picture`() async throws {
        try await withWorld { world in
            let folder = world.mediaFolder
            let store = Media.FolderStore(
                folder: folder, clock: world.clock, random: world.random, reserve: .max / 2, reservePercent: 0)
            await #expect(throws: Media.Refusal.noRoom) {
                try await store.put([1, 2, 3], as: Media.Hash(of: [1, 2, 3]))
            }
            let left = try world.leftFiles()
            #expect(left.isEmpty)
        }
    }

    @Test(arguments: ["", " \n", "a\0b", "a\u{202E}b", "a\u{2066}b", String(repeating: "é", count: 501)])
    func `words that say nothing, or too much, are refused`(alt: String) async throws {
        try await withWorld { world in
            let ann = try await world.given.account().id
            let picture = try await world.given.picture(red: true)
            await #expect(throws: Failure.self) { _ = try await world.community.media.show(picture, alt: alt, of: ann) }
        }
    }
}

extension Given {
    /// A picture that is converted and stored, and nobody's yet.
    func picture(red isRed: Bool, as kind: Media.Kind = .profile, width: Int = 200) async throws -> Media.Prepared {
        let steps = isRed ? [] : [["rot", "d90"]]
        let bytes = try Pictures.halves(width, width, as: "a.png", steps: steps)
        return try await world.community.media.prepare(bytes, type: "image/png", as: kind)
    }
}

extension World {
    /// Runs the jobs of pictures that wait, and gives their number.
    @discardableResult
    func drainMedia() async throws -> Int {
        let worker = Jobs.Worker(database: database, logger: logger)
        Media.register(on: worker, community: community)
        let drained = try await worker.drain()
        if let failure = drained.failures.first { throw failure }
        return drained.done
    }

    /// What `commonplace check` would say about pictures.
    func pictureDifferences() async throws -> [String] {
        try await database.differences(of: Media.self)
    }
}
