import Postgres
import TestSupport
import Testing

@testable import Community

/// Many readers, few books, random acts: one after the other against a model that says what each must answer, and all at once, after which
/// the recounts find nothing.
@Suite(.database)
struct LendingPropertyTests {
    /// What a library with these rules holds, in a few lines.
    private struct Model {
        struct Out: Hashable {
            let reader: Int
            let book: Int
        }

        /// Copies of each book, true while one is out.
        var copies: [Int: [Bool]] = [:]
        /// Whether what is out is a copy.
        var out: [Out: Bool] = [:]
        var everHad: Set<Out> = []
        var counted: [Int: Set<[Int]>] = [:]

        mutating func checkOut(_ out: Out, day: Int) -> String {
            if self.out[out] != nil { return "before" }
            let held = copies[out.book] ?? []
            if !held.isEmpty {
                guard let free = held.firstIndex(of: false) else { return "all_out" }
                copies[out.book]?[free] = true
            }
            self.out[out] = !held.isEmpty
            everHad.insert(out)
            counted[out.book, default: []].insert([out.reader, day])
            return "now"
        }

        mutating func giveBack(_ out: Out) -> String {
            guard let hasCopy = self.out.removeValue(forKey: out) else {
                return everHad.contains(out) ? "back" : "not_found"
            }
            if hasCopy, let place = copies[out.book]?.firstIndex(of: true) { copies[out.book]?[place] = false }
            return "back"
        }
    }

    private struct Cast: Sendable {
        let librarian: Signed
        let readers: [ID<Accounts.Account>]
        let books: [ID<Catalog.Work>]
        let store: Lending.Store

        init(_ world: World) async throws {
            librarian = try await world.given.account(role: .librarian)
            var readers: [ID<Accounts.Account>] = []
            for _ in 0..<5 { readers.append(try await world.given.reader()) }
            self.readers = readers
            books = try await world.given.books(
                (0..<4).map { Catalog.NewBook(key: "\($0)", title: "Book \($0)", authors: ["A"]) })
            store = world.community.lending
        }

        func checkOut(_ reader: Int, _ book: Int) async throws -> String {
            do {
                switch try await store.checkOut(books[book], by: readers[reader]) {
                case .now: return "now"
                case .before: return "before"
                }
            } catch Failure.conflict(let code, _) {
                return code.rawValue
            }
        }

        func giveBack(_ reader: Int, _ book: Int) async throws -> String {
            do {
                _ = try await store.giveBack(books[book], by: readers[reader])
                return "back"
            } catch Failure.notFound {
                return "not_found"
            }
        }

        func add(_ book: Int) async throws {
            _ = try await store.add(books[book], to: .server, by: librarian.identity)
        }

        /// Takes a copy of a book away; whether there was one that is in.
        func remove(_ book: Int) async throws -> Bool {
            let copies = try await store.copies(of: .server, for: librarian.viewer, page: PageRequest(limit: 100)).items
            guard let copy = copies.first(where: { $0.book.id == books[book] && $0.out == nil }) else { return false }
            do {
                try await store.remove(copy.id, by: librarian.identity)
                return true
            } catch Failure.conflict(code: .copyOut, _) {
                return false
            } catch Failure.notFound {
                return false
            }
        }
    }

    @Test func `random acts one after the other answer as a model does`() async throws {
        try await withWorld(leaving: .jobs) { world in
            let cast = try await Cast(world)
            let random = TestRandom(for: "acts")
            var model = Model()
            for step in 0..<300 {
                let (reader, book) = (random.number(in: 0..<5), random.number(in: 0..<4))
                let out = Model.Out(reader: reader, book: book)
                switch random.number(in: 0..<10) {
                case 0..<5:
                    let expected = model.checkOut(out, day: Int(world.clock.now().day.days))
                    #expect(try await cast.checkOut(reader, book) == expected, "step \(step)")
                case 5..<8:
                    let expected = model.giveBack(out)
                    #expect(try await cast.giveBack(reader, book) == expected, "step \(step)")
                case 8 where random.once(in: 2):
                    try await cast.add(book)
                    model.copies[book, default: []].append(false)
                case 8:
                    let free = model.copies[book]?.firstIndex(of: false)
                    #expect(try await cast.remove(book) == (free != nil), "step \(step)")
                    if let free { model.copies[book]?.remove(at: free) }
                default: world.clock.advance(by: .seconds(3600 * random.number(in: 1...12)))
                }
            }
            for (number, reader) in cast.readers.enumerated() {
                let had = try await cast.store.borrowed(by: reader, page: PageRequest(limit: 100)).items
                let expected = model.out.keys.filter { $0.reader == number }.map { cast.books[$0.book] }
                #expect(Set(had.map(\.book.id)) == Set(expected))
                #expect(had.count == expected.count)
            }
            for (number, book) in cast.books.enumerated() {
                #expect(try await cast.store.timesCheckedOut(book) == model.counted[number]?.count ?? 0)
            }
            #expect(try await world.lendingDifferences() == [])
        }
    }

    @Test
    func `random acts of everybody at once leave every copy with one reader and every counter exact`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let cast = try await Cast(world)
            for book in 0..<3 { for _ in 0...book { try await cast.add(book) } }
            try await withThrowingTaskGroup(of: Void.self) { group in
                // Two devices of each reader.
                for reader in [0, 1, 2, 3, 4, 0, 1, 2, 3, 4] {
                    let seed = world.random.fork()
                    group.addTask {
                        var random = seed
                        for _ in 0..<40 {
                            let book = Int.random(in: 0..<4, using: &random)
                            switch Int.random(in: 0..<12, using: &random) {
                            case 0..<6: _ = try await cast.checkOut(reader, book)
                            case 6..<10: _ = try await cast.giveBack(reader, book)
                            case 10: try await cast.add(book)
                            default: _ = try await cast.remove(book)
                            }
                        }
                    }
                }
                // A merge in the midst of it.
                group.addTask {
                    try await world.community.catalog.merge(
                        .book(cast.books[2]), into: .book(cast.books[1]), by: Catalog.Helper(World.terminal))
                }
                try await group.waitForAll()
            }
            #expect(try await world.lendingDifferences() == [])
            let double = try await world.asSuperuser(
                "select copy_id from checkout where returned_at is null and copy_id is not null group by 1 having count(*) > 1"
            )
            #expect(double == [])
        }
    }
}
