import Foundation
import Jobs
import Postgres
import TestSupport
import Testing

@testable import Client
@testable import Community

/// `kill -9` of the server while it lays an e-book out anew: its pages are all of the former layout or all of the next.
@Suite(.serialized, .database(.fresh), .enabled(if: Pictures.canBeConverted)) struct EbooksLayoutKillProofTests {
    /// Where what is said of the file changes, where the former pages are kept and go, in the second portion of the new ones, at the last
    /// words, and at the commit.
    private static let traps = """
        create trigger trap_1 before update on ebook_file for each row when (new.layout <> old.layout)
            execute function wait_in_trap(1);
        create trigger trap_2 before insert on ebook_former_page for each row when (new.number = 2)
            execute function wait_in_trap(2);
        create trigger trap_3 before delete on ebook_page for each row when (old.number = 3)
            execute function wait_in_trap(3);
        create trigger trap_4 before delete on ebook_chapter for each row when (old.number = 0)
            execute function wait_in_trap(4);
        create trigger trap_5 before insert on ebook_page for each row when (new.number = 51)
            execute function wait_in_trap(5);
        create trigger trap_6 before insert on ebook_words for each row when (new.page = 60)
            execute function wait_in_trap(6);
        create constraint trigger trap_7 after update on ebook_file deferrable initially deferred
            for each row when (new.layout <> old.layout) execute function wait_in_trap(7);
        """
    private static let points = 1...7

    @Test(.long, .requirement("REA-1", "REA-4"), .timeLimit(.minutes(60)))
    func `the server is killed at seven points of laying out anew, and no page, place or address is lost`() async throws
    {
        let kills = max(Self.points.count, ProofCount.of(140))
        try await withWorld(leaving: [.outbox, .jobs, .leases]) { world in
            try await world.asSuperuser(Traps.table + Self.traps)
            let book = try await world.given.book("Emma")
            let edition = try await world.given.firstEdition(of: book)
            let ahead = Date().timeIntervalSince1970 - Double(world.clock.now().microseconds) / 1_000_000
            world.clock.advance(by: .seconds(max(0, ahead) + 3_600))
            try await withProgram(["COMMONPLACE_UNSAFE_DATABASE": "1"]) { program in
                let environment = [
                    "DATABASE_URL": Traps.conninfo(of: world), "COMMONPLACE_MEDIA_DIR": world.mediaFolder,
                ]
                var server = try await program.serve(environment: environment)
                let reader = try await BookSender(on: program, edition: edition)
                let sent = try SentBook(number: 0, random: world.random)
                let id = try await reader.keep(sent, isFirst: true, by: program)
                let mark = try await reader.mark(40, of: id, in: book.text, by: program)
                for number in 0..<kills {
                    let layout = try await Traps.number("select layout from ebook_file", in: world)
                    let point = number < Self.points.count ? number + 1 : world.random.number(in: Self.points)
                    try await world.asSuperuser(
                        "insert into trap values (\(point)); update ebook_file set splitter = 0")
                    _ = try await Ebooks.LayAnew().enqueue(in: world.database)
                    try await Traps.kill(server, in: world)
                    try await eventually { Processes.below(world.mediaFolder).isEmpty }
                    _ = try await world.community.media.sweep(grace: .zero)
                    let killed = try await Traps.number("select layout from ebook_file", in: world)
                    #expect([layout, layout + 1].contains(killed), "point \(point)")
                    try await Self.check(world, sent, layout: killed)

                    server = try await program.serve(environment: environment)
                    #expect(try await reader.text(of: id, by: program) == sent.words, "point \(point)")
                    // What was not done is done now, and once.
                    try await eventually {
                        try await Traps.number("select layout from ebook_file where splitter > 0", in: world)
                            == layout + 1
                    }
                    try await eventually {
                        try await Traps.number("select count(*) from job where kind = 'ebooks.lay_anew'", in: world)
                            == 0
                    }
                    #expect(try await reader.text(of: id, by: program) == sent.words, "point \(point)")
                    #expect(try await reader.page(ofBookmark: mark, by: program) == 40, "point \(point)")
                    #expect(try await reader.statusOf(page: 40, layout: 1, of: id, by: program) == 410)
                }
                #expect(await server.stop() == 0)
                _ = try await world.community.media.sweep(grace: .zero)
                try await Self.check(world, sent, layout: kills + 1)
            }
        }
    }

    /// The book is whole, and each page of each former layout is known.
    private static func check(_ world: World, _ sent: SentBook, layout: Int) async throws {
        #expect(try await SentBook.check(world, [sent]) == sent.hash)
        let former = try await world.asSuperuser(
            """
            select former.layout, count(*) - max(file.pages) from ebook_former_page former join ebook_file file on file.id = former.file_id
             group by former.layout order by former.layout
            """)
        #expect(former == (1..<layout).map { ["\($0)", "0"] })
    }
}

extension BookSender {
    /// Marks a page; gives the bookmark's id.
    fileprivate func mark(_ page: Int, of ebook: String, in book: String, by program: Program) async throws -> String {
        let place = #"{"ebook": "\#(ebook)", "page": \#(page)}"#
        let call = HTTPCall(.post, "/api/v1/books/\(book)/bookmarks", body: Array(place.utf8), key: "mark")
        return try #require(try JSONValue(body: try await answer(to: call, by: program).body)["id"]?.string)
    }

    /// The page that it counts as now.
    fileprivate func page(ofBookmark id: String, by program: Program) async throws -> Double? {
        let answer = try await answer(to: HTTPCall(.get, "/api/v1/bookmarks/\(id)"), by: program)
        return try JSONValue(body: answer.body)["page"]?.number
    }

    fileprivate func statusOf(page: Int, layout: Int, of ebook: String, by program: Program) async throws -> Int {
        try await answer(to: HTTPCall(.get, "/api/v1/ebooks/\(ebook)/pages/\(page)?v=\(layout)"), by: program).status
    }
}
