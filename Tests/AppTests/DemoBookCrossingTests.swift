import Client
import Community
import Foundation
import Postgres
import TestSupport
import Testing

@testable import App

/// Book-Crossing's files: lines made up with their oddities, and a slice of the real ones where they are beside the project.
@Suite struct DemoBookCrossingTests {
    private static let titles =
        "Book_ID\tISBN\tBook-Title\tBook-Author\tYear-Of-Publication\tPublisher\tImage-URL-S\tImage-URL-M\tImage-URL-L\t\n"
    private static let pictures = "http://a/s.jpg\thttp://a/m.jpg\thttp://a/l.jpg\t"

    private static func book(_ fields: String) throws -> BookCrossing.Book {
        try BookCrossing.book(Array((fields + "\t" + pictures).utf8)[...], line: 2).book
    }

    @Test func `a tab behind amp ends that word, and any other stray tab was a semicolon`() throws {
        let tailored = try Self.book(
            "2\t0393045218\tAngels &amp\t Demons\tE. J. W. Barber\t1999\tW. W. Norton &amp\t Company")
        #expect(tailored.title == "Angels & Demons")
        #expect(tailored.author == "E. J. W. Barber")
        #expect(tailored.publisher == "W. W. Norton & Company")
        #expect(tailored.year == 1999)
        #expect(tailored.isbn?.text == "9780393045215")
        let volume = try Self.book("3\t1558532161\tLife's Little Book\t Volume II\tH. Jackson Brown\t1993\tNelson")
        #expect(volume.title == "Life's Little Book; Volume II")
        #expect(volume.author == "H. Jackson Brown")
        let doubled = try Self.book("4\t0091152704\tSilver Brumby\t\tElyne Mitchell\t1973\tHutchinson")
        #expect(doubled.title == "Silver Brumby" && doubled.author == "Elyne Mitchell")
    }

    @Test func `what is no ISBN, no year and no author is left out of a book`() throws {
        let book = try Self.book("5\tB00007FYKO\tTales\t\t0\tBallantine")
        #expect(book == BookCrossing.Book(isbn: nil, title: "Tales", author: nil, year: nil, publisher: "Ballantine"))
    }

    @Test func `texts are Latin-1, and UTF-8 that was taken for it is put right`() {
        let cases: [([UInt8], String)] = [
            ([0x43, 0x61, 0x66, 0xE9], "Café"), (Array("Café".utf8), "Café"),
            (Array("plain?".utf8), "plain?"),
            ([0x45, 0x78, 0xC3, 0x83, 0xC2, 0xA9], "Exé"),
            // A control character of Latin-1 became a question mark on the way.
            ([0x4C, 0xC3, 0x83, 0x3F, 0xC3, 0x82, 0xC2, 0xBC, 0x62], "Lüb"),
        ]
        for (bytes, text) in cases { #expect(BookCrossing.text(bytes[...]) == text) }
    }

    @Test(arguments: [
        ("1\t0060973129\tTitle", "line 2 of items_info.dat names no picture"),
        ("1\t0060973129\tTitle\tAuthor\t1991\t" + pictures, "line 2 of items_info.dat has fewer fields"),
        (
            "x\t0060973129\tTitle\tAuthor\t1991\tPress\t" + pictures,
            "line 2 of items_info.dat does not begin with a number"
        ),
        ("1\t0060973129\t\tAuthor\t1991\tPress\t" + pictures, "line 2 of items_info.dat has no title"),
    ])
    func `a line of books with a field missing is named`(_ line: String, _ why: String) {
        let error = #expect(throws: BookCrossing.Malformed.self) {
            try BookCrossing(items: Array((Self.titles + line).utf8), history: [], ratings: [])
        }
        #expect(error?.description.hasPrefix(why) == true, "\(String(describing: error))")
    }

    @Test(arguments: [
        ("user\titem\taccessed\n1\t7\t1\n", "user\titem\trating\n", "line 2 of book_history.dat names book 7"),
        (
            "user\titem\taccessed\n1\t1\t1\n1\t1\t1\n", "user\titem\trating\n",
            "line 3 of book_history.dat tells of reader 1"
        ),
        ("user\titem\taccessed\n1\t1\n", "user\titem\trating\n", "line 2 of book_history.dat is not"),
        (
            "user\titem\taccessed\n1\t1\t1\n", "user\titem\trating\n1\t1\t7.5\n",
            "line 2 of book_ratings.dat has a rating"
        ),
        ("user\titem\taccessed\n1\t1\t1\n", "user\titem\trating\n2\t1\t7.0\n", "line 2 of book_ratings.dat rates"),
        ("user\titem\taccessed\n1\t1\t1\n", "", "line 1 of book_ratings.dat does not begin with user"),
        ("user\titem\taccessed\n", "user\titem\trating\n", "book_history.dat tells of no reader"),
    ])
    func `a line of readers that is wrong is named`(_ history: String, _ ratings: String, _ why: String) {
        let item = Self.titles + "1\t0060973129\tTitle\tAuthor\t1991\tPress\t" + Self.pictures
        let error = #expect(throws: BookCrossing.Malformed.self) {
            try BookCrossing(items: Array(item.utf8), history: Array(history.utf8), ratings: Array(ratings.utf8))
        }
        #expect(error?.description.hasPrefix(why) == true, "\(String(describing: error))")
    }

    @Test func `names are made up, differ, and may be signed up with`() {
        let names = (0..<BookCrossing.readers).map(DemoNames.username)
        #expect(Set(names).count == BookCrossing.readers)
        #expect(names.allSatisfy { (3...30).contains($0.utf8.count) })
    }

    /// 40 readers of 30 books.
    private static func small() throws -> BookCrossing {
        let items = (1...30).map { "\($0)\t\tBook \($0)\tAuthor \($0 % 7)\t1990\tPress\t\(pictures)\n" }.joined()
        var history = "user\titem\taccessed\n"
        var ratings = "user\titem\trating\n"
        for reader in 1...40 {
            for book in 1...30 where (reader * 7 + book * 11) % 3 > 0 {
                history += "\(reader)\t\(book)\t1\n"
                if book % 4 == 0 { ratings += "\(reader)\t\(book)\t\(1 + (reader + book) % 10).000000\n" }
            }
        }
        return try BookCrossing(
            items: Array((titles + items).utf8), history: Array(history.utf8), ratings: Array(ratings.utf8))
    }

    @Test func `the same files and moment give the same plan, spread over 90 days, with what was just read`() throws {
        let data = try Self.small()
        let now = Timestamp(seconds: 1_780_000_000)
        let plan = BookCrossingPlan(data, until: now)
        #expect(plan.acts == BookCrossingPlan(data, until: now).acts)
        #expect(plan.acts.count == data.readings.count && plan.joined.count == 40)
        var last = now - .seconds(90 * 86_400)
        for act in plan.acts {
            #expect(act.at >= last && act.at < now - .seconds(60))
            #expect(act.at - plan.joined[act.reader] > .seconds(86_400), "younger accounts do not count")
            #expect(act.rating == nil || act.status == .read)
            last = act.at
        }
        let recent = plan.acts.count { now - $0.at < .seconds(5 * 86_400) }
        #expect(recent > plan.acts.count / 20)
        #expect(Set(plan.acts.map(\.status)) == [.want, .reading, .read])
    }

    private static let folder = "ratings/bookcrossing-caserec/book_crossing"

    @Test(.sharedData(folder)) func `every line of the real files is read`() throws {
        let data = try BookCrossing(folder: SharedData.path(Self.folder))
        #expect(data.books.count == 17_384)
        #expect(data.readings.count == 272_678)
        #expect(data.readings.count { $0.rating != nil } == 62_656)
        #expect(data.books.values.count { $0.isbn == nil } == 6)
        #expect(data.books.values.count { $0.author == nil } == 0)
        #expect(data.books[2]?.publisher == "W. W. Norton & Company")
        #expect(data.books[218]?.author == "Antoine de Saint-Exupéry")
    }

    @Test
    func `a community of files is loaded, counted exactly and removed; a bad file and a second run change nothing`()
        async throws
    {
        try await withProgram { program in
            let folder = program.folder + "/files"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
            let absent = try await program.run("demo", "--from", "bookcrossing", folder)
            #expect(absent.status != 0 && absent.errors.contains("items_info.dat cannot be read"), "\(absent.errors)")
            try write(to: folder)

            let loaded = try await program.run("demo", "--from", "bookcrossing", folder, "--json")
            try #require(loaded.status == 0, "\(loaded.errors)")
            let told = try JSONDecoder().decode(JSONValue.self, from: Data(loaded.output.utf8))
            #expect(told["readers"]?.number == 40 && told["books"]?.number == 30)
            #expect((told["ratings"]?.number ?? 0) > 100)
            try await expectRight(program)
            let again = try await program.run("demo", "--from", "bookcrossing", folder)
            #expect(again.status == 5 && again.errors.contains("--remove"))

            let server = try await program.serve()
            let username = try #require(told["sign_ins"]?.array?.first?["username"]?.string)
            let password = try #require(told["sign_ins"]?.array?.first?["password"]?.string)
            let reader = try await program.client().logIn(username, password: password).client
            #expect(try await reader.me().username == username)
            await server.stop()

            let removed = try await program.run("demo", "--remove", "--json")
            #expect(removed.output.contains(#""books":30"#) && removed.output.contains(#""readers":40"#), "\(removed)")
            try await expectRight(program)
        }
    }

    private func write(to folder: String) throws {
        let items = (1...30).map { "\($0)\t\tBook \($0)\tAuthor \($0 % 7)\t1990\tPress\t\(Self.pictures)\n" }.joined()
        var (history, ratings) = ("user\titem\taccessed\n", "user\titem\trating\n")
        for reading in try Self.small().readings {
            history += "\(reading.reader)\t\(reading.book)\t1\n"
            if let rating = reading.rating { ratings += "\(reading.reader)\t\(reading.book)\t\(rating).000000\n" }
        }
        for (name, text) in [
            ("items_info.dat", Self.titles + items), ("book_history.dat", history), ("book_ratings.dat", ratings),
        ] {
            try Data(text.utf8).write(to: URL(filePath: folder + "/" + name))
        }
    }

    /// Nothing differs, as it is and after everything was summed anew.
    private func expectRight(_ program: Program) async throws {
        for arguments in [["ranking", "recompute"], ["check"], ["ranking", "recompute", "--full"], ["check"]] {
            let done = try await program.run(arguments)
            #expect(done.status == 0, "\(arguments): \(done.output)\(done.errors)")
            if arguments.last == "--full" {
                #expect((done.output + done.errors).contains("0 sums"), "\(done.output)\(done.errors)")
            }
        }
    }
}
