import Community
import Foundation
import Postgres
import Synchronization
import TestSupport
import Testing

@testable import Client

/// `kill -9` of the server while an e-book is sent, read, stored or drawn: afterwards there is the whole book or the one before, never a part.
@Suite(.serialized, .database(.fresh), .enabled(if: Pictures.canBeConverted)) struct EbooksKillProofTests {
    /// Where the server is killed. The first of them are traps in the database, by the trap's number.
    private enum Moment: Int, CaseIterable {
        case fileRow = 1
        case book, chapter, page, words, picture, ebook, commit, formerEbook, formerBook
        /// A picture that was made is noted.
        case drawing
        /// A part of the body has arrived.
        case sending
        /// The process that reads has its folder, is there, writes its draft, writes its pages.
        case folder, process, draft, pages

        var isTrap: Bool { rawValue <= Self.drawing.rawValue }
    }

    /// `wait_in_trap(N)` is the moment N. Pages are stored 50 at a time: the fourth stands in the second portion.
    private static let traps = """
        create trigger trap_1 before insert on media_file for each row execute function wait_in_trap(1);
        create trigger trap_2 before insert on ebook_file for each row execute function wait_in_trap(2);
        create trigger trap_3 before insert on ebook_chapter for each row when (new.number = 1)
            execute function wait_in_trap(3);
        create trigger trap_4 before insert on ebook_page for each row when (new.number = 51)
            execute function wait_in_trap(4);
        create trigger trap_5 before insert on ebook_words for each row when (new.page = 2)
            execute function wait_in_trap(5);
        create trigger trap_6 before insert on ebook_picture for each row execute function wait_in_trap(6);
        create trigger trap_7 before insert on ebook for each row execute function wait_in_trap(7);
        create constraint trigger trap_8 after insert on ebook deferrable initially deferred
            for each row execute function wait_in_trap(8);
        create trigger trap_9 before delete on ebook for each row execute function wait_in_trap(9);
        create trigger trap_10 before delete on ebook_file for each row execute function wait_in_trap(10);
        create trigger trap_11 before update on ebook_picture for each row execute function wait_in_trap(11);
        """

    @Test(.long, .requirement("REA-1", "REA-7"), .timeLimit(.minutes(60)))
    func `the server is killed at sixteen points of an upload: the e-book is whole, or the one before is`()
        async throws
    {
        let moments = Moment.allCases
        let kills = max(moments.count, ProofCount.of(320))
        try await withWorld(leaving: [.outbox, .jobs, .leases]) { world in
            try await world.asSuperuser(Traps.table + Self.traps)
            let edition = try await world.given.firstEdition(of: try await world.given.book("Emma"))
            // The program's files have the time of the machine.
            let ahead = Date().timeIntervalSince1970 - Double(world.clock.now().microseconds) / 1_000_000
            world.clock.advance(by: .seconds(max(0, ahead) + 3_600))
            try await withProgram(["COMMONPLACE_UNSAFE_DATABASE": "1"]) { program in
                let environment = [
                    "DATABASE_URL": Traps.conninfo(of: world), "COMMONPLACE_MEDIA_DIR": world.mediaFolder,
                ]
                var server = try await program.serve(environment: environment)
                let reader = try await BookSender(on: program, edition: edition)
                var kept = try SentBook(number: -1, random: world.random)
                var id = try await reader.keep(kept, isFirst: true, by: program)
                var isDrawn = false
                var caught = 0
                for number in 0..<kills {
                    var moment = moments[number % moments.count]
                    if number >= moments.count { moment = world.random.element(of: moments) ?? .ebook }
                    if moment == .drawing, isDrawn { moment = .sending }
                    let draft = try SentBook(number: number, random: world.random)
                    let strike = Strike(moment: moment.rawValue, world: world, program: program)
                    caught += try await strike.kill(server, while: reader, sends: draft, for: id)

                    // What reads outlives its server for as long as it has to do, and no longer.
                    try await eventually { Processes.below(world.mediaFolder).isEmpty }
                    _ = try await world.community.media.sweep(grace: .zero)
                    let there = try await SentBook.check(world, [kept, draft])
                    #expect(there == kept.hash || moment != .drawing && there == draft.hash, "\(moment)")
                    if moment == .sending { #expect(there == kept.hash, "a part was taken for the whole") }

                    server = try await program.serve(environment: environment)
                    if moment == .drawing {
                        isDrawn = true
                        for _ in 0..<2 { #expect(try await reader.sees(pictureOf: id, by: program)) }
                        continue
                    }
                    // The same call under its key does it, if it was not done, and does it once.
                    let again = try await reader.keep(draft, isFirst: false, by: program)
                    #expect(try await reader.keep(draft, isFirst: false, by: program) == again, "\(moment)")
                    #expect(try await reader.text(of: again, by: program) == draft.words, "\(moment)")
                    #expect(try await Traps.number("select count(*) from ebook", in: world) == 1, "\(moment)")
                    (kept, id, isDrawn) = (draft, again, false)
                }
                print("e-book kill proof: \(kills) kills, \(caught) of them while another process read")
                // A proof that never met the process that reads proves nothing of it.
                #expect(caught > 0)
                #expect(await server.stop() == 0)
                _ = try await world.work()
                _ = try await world.community.media.sweep(grace: .zero)
                #expect(try await SentBook.check(world, [kept]) == kept.hash)
            }
        }
    }
}

/// Kills the server at one moment of a call.
private struct Strike {
    let moment: Int
    let world: World
    let program: Program

    private var incoming: String { world.mediaFolder + "/incoming" }
    private var scratch: String { world.mediaFolder + "/scratch" }

    /// Gives 1 where another process was reading when the server died, else 0.
    func kill(_ server: RunningProgram, while reader: BookSender, sends draft: SentBook, for ebook: String) async throws
        -> Int
    {
        let hasEnded = Mutex(false)
        switch moment {
        case ...11:
            try await world.asSuperuser("insert into trap values (\(moment))")
            let call = Task {
                if moment == 11 {
                    _ = try await reader.sees(pictureOf: ebook, by: program)
                } else {
                    _ = try await reader.keep(draft, isFirst: false, by: program)
                }
            }
            try await Traps.kill(server, in: world)
            _ = await call.result
            return 0
        case 12:
            let part = world.random.number(in: 1..<draft.bytes.count)
            let connection = try await reader.begin(draft, part, by: program)
            try await eventually { size(below: incoming) == part }
            await server.kill()
            await connection.close()
            return 0
        default:
            let call = Task {
                defer { hasEnded.withLock { $0 = true } }
                _ = try await reader.keep(draft, isFirst: false, by: program)
            }
            var isReading = false
            while !hasEnded.withLock({ $0 }), !isReading {
                isReading = hasCome
                if !isReading { try await Task.sleep(for: .milliseconds(1)) }
            }
            let readers = Processes.below(world.mediaFolder)
            await server.kill()
            _ = await call.result
            return readers.isEmpty ? 0 : 1
        }
    }

    /// Whether the process that reads has come to where the server is to die.
    private var hasCome: Bool {
        let folders = (try? FileManager.default.contentsOfDirectory(atPath: scratch)) ?? []
        guard let folder = folders.first.map({ scratch + "/" + $0 }) else { return false }
        return switch moment {
        case 13: true
        case 14: !Processes.below(world.mediaFolder).isEmpty
        case 15: size(below: folder, "pages.draft") > 0
        default: size(below: folder, "pages") > 0
        }
    }

    /// Bytes of the files in a folder, or of one of them.
    private func size(below folder: String, _ name: String? = nil) -> Int {
        let files = FileManager.default
        let names = name.map { [$0] } ?? ((try? files.contentsOfDirectory(atPath: folder)) ?? [])
        return names.reduce(0) { sum, name in
            sum + ((try? files.attributesOfItem(atPath: folder + "/" + name)[.size] as? Int) ?? 0)
        }
    }
}
