import Community
import Foundation
import Postgres
import TestSupport
import Testing

@testable import Client

/// `kill -9` of the process that reads the words of photographs, while it prepares a page, while tesseract reads it, and at each step of keeping
/// the words: they are read again, once, and nothing is left over.
@Suite(.serialized, .database(.fresh), .enabled(if: PrintedPages.canBeRead)) struct WordsKillProofTests {
    /// Where it stands still: where the photograph gets its words, where search does, where the job goes, and at the commit.
    private static let traps = """
        create trigger trap_1 before update on photo for each row
            when (new.words_state = 'read') execute function wait_in_trap(1);
        create trigger trap_2 before insert on own_words for each row execute function wait_in_trap(2);
        create trigger trap_3 before delete on job for each row
            when (old.kind = 'photos.read') execute function wait_in_trap(3);
        create constraint trigger trap_4 after update on photo deferrable initially deferred for each row
            when (new.words_state = 'read') execute function wait_in_trap(4);
        """
    /// Two while it works in its folder, and the traps.
    private static let points = 6

    @Test(.long, .timeLimit(.minutes(60)))
    func `the process that reads is killed at six points: each page is read again, once, and nothing is left`()
        async throws
    {
        let kills = max(Self.points, ProofCount.of(60))
        let text = "She kept the old thunder in a candle, and the river in her silence."
        let page = try PrintedPages.typeset(text, font: PrintedPages.fonts[0], dpi: 200, degrees: 2)
        try await withWorld(leaving: [.outbox, .jobs, .leases]) { world in
            try await world.asSuperuser(Traps.table + Self.traps)
            let ann = try await world.given.account()
            let book = try await world.given.book("Emma")
            try await withProgram(["COMMONPLACE_UNSAFE_DATABASE": "1"]) { program in
                let environment = [
                    "DATABASE_URL": Traps.conninfo(of: world), "COMMONPLACE_MEDIA_DIR": world.mediaFolder,
                ]
                for number in 0..<kills {
                    let point = number % Self.points
                    let media = world.community.media
                    let prepared = try await media.prepare(page, type: "image/jpeg", as: .photo)
                    _ = try await world.community.photos.add(
                        Photos.NewPhoto(), prepared, to: book, by: ann.identity)
                    if point > 1 { try await world.asSuperuser("insert into trap values (\(point - 1))") }
                    var worker = try program.start(["work", "--queues", "photos"], environment: environment)
                    if point > 1 {
                        try await Traps.kill(worker, in: world)
                    } else {
                        let file = point == 0 ? "in.jpg" : "page.png"
                        try await eventually { Self.works(on: file, below: world.mediaFolder) }
                        await worker.kill()
                        try await eventually { try await Traps.sessions(waiting: false, in: world) == 0 }
                        try await world.asSuperuser(
                            "update job set lease_until = now() - interval '1 second' where state = 'running'")
                    }
                    worker = try program.start(["work", "--queues", "photos"], environment: environment)
                    try await eventually(within: .seconds(120)) {
                        try await Traps.number("select count(*) from job where kind = 'photos.read'", in: world) == 0
                    }
                    let read = try await Traps.number(
                        "select count(*) from photo where words_state = 'read' and words = '\(text)' and version = 2",
                        in: world)
                    #expect(read == number + 1, "point \(point)")
                    await worker.kill()
                }
            }
            let told = try await world.asSuperuser(
                "select count(*), count(distinct data -> 'photo' ->> 'id') from outbox where kind = 'photo.read'")
            #expect(told == [["\(kills)", "\(kills)"]])
            // What was killed left its folders, which the sweep takes.
            let ahead = Date().timeIntervalSince1970 - Double(world.clock.now().microseconds) / 1_000_000
            world.clock.advance(by: .seconds(max(0, ahead) + 3_600))
            _ = try await world.community.media.sweep(grace: .zero)
            #expect(try FileManager.default.contentsOfDirectory(atPath: world.mediaFolder + "/scratch").isEmpty)
            #expect(try await world.everyDifference() == [])
            print("kill proof: \(kills) readings killed, each done once")
        }
    }

    /// Whether a reading has this file in its folder.
    private static func works(on file: String, below folder: String) -> Bool {
        let scratch = folder + "/scratch"
        let runs = (try? FileManager.default.contentsOfDirectory(atPath: scratch)) ?? []
        return runs.contains { FileManager.default.fileExists(atPath: scratch + "/" + $0 + "/" + file) }
    }
}
