import Community
import Foundation
import Postgres
import TestSupport
import Testing

@testable import Client

/// `kill -9` of the server while it keeps a photograph, or edits one, at each step: what is there is whole, and nothing is left over once the
/// sweep was there.
@Suite(.serialized, .database(.fresh), .enabled(if: Pictures.canBeConverted)) struct PhotosKillProofTests {
    /// Where it stands still: at the first file's row, at the photograph's, at the commit; in an edit, where another picture is shown, where the
    /// former one goes, and at the commit.
    private static let traps = """
        create trigger trap_1 before insert on media_file for each row execute function wait_in_trap(1);
        create trigger trap_2 before insert on photo for each row execute function wait_in_trap(2);
        create constraint trigger trap_3 after insert on photo deferrable initially deferred
            for each row execute function wait_in_trap(3);
        create trigger trap_4 before update on photo for each row execute function wait_in_trap(4);
        create trigger trap_5 before delete on picture for each row execute function wait_in_trap(5);
        create constraint trigger trap_6 after update on photo deferrable initially deferred
            for each row execute function wait_in_trap(6);
        """
    private static let points = 0...6

    @Test(.long, .requirement("UPL-1", "UPL-4"), .timeLimit(.minutes(60)))
    func `the server is killed at seven points of an upload and an edit: no row lacks its file, no file its row`()
        async throws
    {
        let kills = max(Self.points.count, ProofCount.of(140))
        try await withWorld(leaving: [.outbox, .jobs, .leases]) { world in
            try await world.asSuperuser(Traps.table + Self.traps)
            let book = try await world.given.book("Emma")
            // The program's files have the time of the machine.
            let ahead = Date().timeIntervalSince1970 - Double(world.clock.now().microseconds) / 1_000_000
            world.clock.advance(by: .seconds(max(0, ahead) + 3_600))
            try await withProgram(["COMMONPLACE_UNSAFE_DATABASE": "1"]) { program in
                let environment = [
                    "DATABASE_URL": Traps.conninfo(of: world), "COMMONPLACE_MEDIA_DIR": world.mediaFolder,
                ]
                var server = try await program.serve(environment: environment)
                let camera = try await Camera(on: program)
                var photo = try await camera.keep("first", of: book, by: program)
                for number in 0..<kills {
                    let point = number % Self.points.count
                    if point > 0 { try await world.asSuperuser("insert into trap values (\(point))") }
                    let key = "photo-\(number)"
                    let before = try await Traps.number("select count(*) from photo", in: world)
                    let isEdit = point > 3
                    let seen = photo
                    let call = Task {
                        if isEdit { return try await camera.turn(seen, number, key, by: program) }
                        return try await camera.keep(key, of: book, by: program)
                    }
                    if point == 0 {
                        try await eventually { Self.isConverting(below: world.mediaFolder) }
                        await server.kill()
                    } else {
                        try await Traps.kill(server, in: world)
                    }
                    _ = await call.result
                    // A converter outlives its server for as long as its picture takes, and writes beside the sweep.
                    try await eventually { try Self.converters(below: world.mediaFolder).isEmpty }
                    _ = try await world.community.media.sweep(grace: .zero)
                    try await Self.check(world)

                    // The same call under its key does it, if it was not done.
                    server = try await program.serve(environment: environment)
                    photo =
                        isEdit
                        ? try await camera.turn(photo, number, key, by: program)
                        : try await camera.keep(key, of: book, by: program)
                    let after = try await Traps.number("select count(*) from photo", in: world)
                    #expect(after == before + (isEdit ? 0 : 1), "point \(point)")
                    for width in [320, 4096] { #expect(try await camera.sees(width, of: photo, by: program)) }
                }
                #expect(await server.stop() == 0)
            }
            _ = try await world.work()
            _ = try await world.community.media.sweep(grace: .zero)
            try await Self.check(world)
        }
    }

    private static func isConverting(below folder: String) -> Bool {
        (try? FileManager.default.contentsOfDirectory(atPath: folder + "/scratch").isEmpty) == false
    }

    /// The processes that work in a folder of a conversion.
    private static func converters(below folder: String) throws -> [String] {
        let files = FileManager.default
        return try files.contentsOfDirectory(atPath: "/proc").filter { name in
            Int(name) != nil
                && (try? files.destinationOfSymbolicLink(atPath: "/proc/\(name)/cwd"))?.hasPrefix(folder) == true
        }
    }

    /// Each file has its row, each row its file, each picture its photograph; nothing of a conversion is left.
    private static func check(_ world: World) async throws {
        let rows = Set(try await world.asSuperuser("select encode(hash, 'hex') from media_file").compactMap { $0[0] })
        var files: Set<String> = []
        let folder = world.mediaFolder
        for shard in (try? FileManager.default.contentsOfDirectory(atPath: folder + "/files")) ?? [] {
            files.formUnion(try FileManager.default.contentsOfDirectory(atPath: folder + "/files/" + shard))
        }
        #expect(rows == files, "\(rows.symmetricDifference(files).count) of \(rows.count)")
        #expect(try await world.asSuperuser("select from media_file where missing_at is not null").isEmpty)
        for part in ["incoming", "scratch"] {
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder + "/" + part).isEmpty, "\(part)")
        }
        #expect(try await world.everyDifference() == [])
    }
}

/// Somebody who photographs books over HTTP.
private struct Camera: Sendable {
    private let token: String
    private let picture: [UInt8]

    init(on program: Program) async throws {
        picture = try Pictures.halves(1600, 1200, as: "a.jpg")
        let account = """
            {"username": "ann", "email": "ann@example.org", "email_confirmation": "ann@example.org",
             "password": "a long walk home", "password_confirmation": "a long walk home"}
            """
        let made = try await Self.perform(HTTPCall(.post, "/api/v1/accounts", body: Array(account.utf8)), program)
        token = try #require(try JSONValue(body: made.body)["token"]?.string)
    }

    /// Keeps a photograph; gives its id.
    func keep(_ key: String, of book: ID<Catalog.Work>, by program: Program) async throws -> String {
        var call = HTTPCall(.post, "/api/v1/books/\(book)/photos?comment=zq", body: picture, key: key)
        call.type = "image/jpeg"
        return try await made(call, program)
    }

    func turn(_ photo: String, _ number: Int, _ key: String, by program: Program) async throws -> String {
        let degrees = 90 * (1 + number % 3)
        let edit =
            #"{"rotate": \#(degrees), "crop": {"left": \#(number % 100), "top": 0, "width": 500, "height": 500}}"#
        return try await made(HTTPCall(.patch, "/api/v1/photos/\(photo)", body: Array(edit.utf8), key: key), program)
    }

    func sees(_ width: Int, of photo: String, by program: Program) async throws -> Bool {
        var call = HTTPCall(.get, "/api/v1/photos/\(photo)/\(width)")
        call.token = token
        let answer = try await Self.perform(call, program)
        return answer.status == 200 && answer.body.starts(with: [0xFF, 0xD8])
    }

    private func made(_ call: HTTPCall, _ program: Program) async throws -> String {
        var call = call
        call.token = token
        let answer = try await Self.perform(call, program)
        #expect([200, 201].contains(answer.status), "\(String(decoding: answer.body, as: UTF8.self))")
        return try #require(try JSONValue(body: answer.body)["id"]?.string)
    }

    private static func perform(_ call: HTTPCall, _ program: Program) async throws -> HTTPAnswer {
        try await HTTPTransport(try ServerAddress(program.url), timeout: .seconds(60)).perform(call)
    }
}
