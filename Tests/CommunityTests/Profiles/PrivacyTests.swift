import Postgres
import TestSupport
import Testing

@testable import Community

/// Who sees what, kind by kind.
@Suite(.database)
struct PrivacyTests {
    @Test func `levels are as usual until they are chosen, each for itself`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let (reader, other) = (try await world.given.reader(), try await world.given.reader())
            let store = world.community.profiles
            #expect(try await store.privacy(of: reader) == Privacy())
            for kind in Privacy.Kind.allCases {
                for level in Visibility.allCases {
                    let after = try await store.change([kind: level], for: reader)
                    #expect(after == Privacy([kind: level]))
                    #expect(try await store.privacy(of: reader) == after)
                }
                try await store.change([kind: kind.usual], for: reader)
            }
            #expect(try await store.privacy(of: other) == Privacy())
        }
    }

    @Test func `the usual levels are those that were promised, and those of the table`() async throws {
        let promised: [(Visibility, [Privacy.Kind])] = [
            (.public, [.reviews, .discussions]), (.members, [.name, .bio, .shelves, .lists, .favourites]),
            (.friends, [.activity, .position, .library, .statistics, .photos]),
            (.private, [.notes, .searches, .taste]),
        ]
        for (level, kinds) in promised { for kind in kinds { #expect(kind.usual == level, "\(kind)") } }
        #expect(promised.flatMap(\.1).count == Privacy.Kind.allCases.count)
        try await withWorld { world in
            let defaults = try await world.asSuperuser(
                """
                select column_name, column_default from information_schema.columns
                 where table_name = 'privacy' and column_name <> 'reader_id' order by ordinal_position
                """)
            #expect(defaults == Privacy.Kind.allCases.map { [$0.rawValue, "\($0.usual.rawValue)"] })
        }
    }

    /// Wherever a level is read that may have no row, what stands in for it is the usual level of the kind.
    @Test func `no statement takes another level for the usual one`() throws {
        var found = 0
        for statement in StatementTypes.of("Community").flatMap({ $0.prepared }) {
            let sql = statement.text
            let uses = sql.matches(of: /privacy\.([a-z_]+)/).filter { $0.1 != "reader_id" }
            guard !uses.isEmpty, !statement.name.hasPrefix("profiles.") else { continue }
            let joined = sql.matches(of: /privacy\.([a-z]+), ([0-3])\)/)
            let asked = sql.matches(
                of:
                    /coalesce\(\(select privacy\.([a-z]+)\s+from privacy\s+where privacy\.reader_id = [$a-z_.0-9]+\), ([0-3])\)/
            )
            for (name, level) in joined.map({ ($0.1, $0.2) }) + asked.map({ ($0.1, $0.2) }) {
                let kind = try #require(Privacy.Kind(rawValue: String(name)), "\(statement.name): \(name)")
                #expect("\(kind.usual.rawValue)" == level, "\(statement.name) takes \(level) for \(name)")
            }
            #expect(joined.count + asked.count == uses.count, "\(statement.name) reads a level without the usual one")
            found += uses.count
        }
        #expect(found > 10)
    }

    /// A name is seen at its reader's level (`Privacy.shown`), or told to all where members may see it (`Privacy.told`).
    @Test func `no statement names a reader past the level of the name`() {
        var found = 0
        // The reader's own account, and what finds readers: it looks at names before it asks for their levels (`FindRoutesTests`).
        for statement in StatementTypes.of("Community").flatMap({ $0.prepared })
        where statement.name != "accounts.own" && !statement.name.hasPrefix("profiles.sought_") {
            let sql = statement.text
            let accounts = Set(
                sql.matches(of: /(?:from|join) account(?: ([a-z_]+))?/).map { match in
                    let alias = match.1.map(String.init) ?? ""
                    return ["", "on", "where", "left", "join", "set"].contains(alias) ? "account" : alias
                })
            for account in accounts {
                let uses = sql.ranges(of: account + ".name").filter { range in
                    sql[range.upperBound...].first.map { !$0.isLetter && $0 != "_" } ?? true
                        && sql[..<range.lowerBound].last.map { !$0.isLetter && $0 != "_" } ?? true
                }
                for use in uses {
                    let before = sql[..<use.lowerBound]
                    let after = sql[use.upperBound...]
                    // The name alone, or with the picture in one array.
                    let isShown =
                        (before.hasSuffix("(select ") || before.hasSuffix("(select array[coalesce("))
                        && after.prefixMatch(
                            of: /(, ''\), coalesce\([^\]]*, ''\)\])?\s+from \(values \(coalesce\(\(select privacy\.name/
                        ) != nil
                    let isTold =
                        (before.hasSuffix(">= 2 then ") || before.hasSuffix(">= 2 then array[coalesce("))
                        && after.prefixMatch(of: /(, ''\), coalesce\([^\]]*, ''\)\])? end/) != nil
                    #expect(isShown || isTold, "\(statement.name) names a reader whatever the level of the name")
                    found += 1
                }
            }
        }
        #expect(found > 40)
    }

    @Test func `a frozen reader shows less and not more, and who is gone shows nothing`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let frozen = try await world.given.account(state: .frozen)
            let gone = try await world.given.account()
            try await world.community.accounts.close(gone.id)
            let store = world.community.profiles
            #expect(try await store.change([.shelves: .private], for: frozen.id)[.shelves] == .private)
            await #expect(throws: Failure.self) { try await store.change([.shelves: .friends], for: frozen.id) }
            await #expect(throws: Failure.self) { try await store.change([.shelves: .private], for: gone.id) }
            #expect(try await store.privacy(of: frozen.id)[.shelves] == .private)
        }
    }

    @Test func `reviews without a level of their own follow the setting, with their counts and the ratings on shelves`()
        async throws
    {
        try await withWorld(leaving: [.outbox, .jobs], settings: { $0.newAccountHours = 0 }) { world in
            let (reader, friend) = (try await world.given.reader(), try await world.given.reader())
            let other = try await world.given.reader()
            try await world.given.friendship(reader, friend)
            let community = world.community
            let (plain, chosen) = (try await world.given.book("Plain"), try await world.given.book("Chosen"))
            let said = try await world.given.book("Said so")
            for book in [plain, chosen, said] { try await world.given.shelved(book, by: reader) }
            try await world.given.review(by: reader, of: plain)
            try await world.given.review(by: reader, of: chosen, visibility: .members)
            try await world.given.review(by: reader, of: said)
            // The same level, now chosen.
            try await world.given.review(by: reader, of: said, visibility: .public)

            func seen(_ book: ID<Catalog.Work>, _ viewer: Viewer) async throws -> Bool {
                try await !community.reviews.reviews(of: book, for: viewer, page: PageRequest()).items.isEmpty
            }
            for level in [Visibility.friends, .private, .members, .public] {
                try await community.profiles.change([.reviews: level], for: reader)
                #expect(try await seen(plain, .reader(friend)) == (level >= .friends))
                #expect(try await seen(plain, .reader(other)) == (level >= .members))
                #expect(try await seen(plain, .anonymous) == (level >= .public))
                #expect(try await community.reviews.tally(of: plain).n == (level >= .members ? 1 : 0))
                #expect(try await seen(chosen, .reader(other)))
                #expect(try await !seen(chosen, .anonymous))
                #expect(try await seen(said, .anonymous))
                #expect(try await world.differences() == [])
            }
            // Both are given back to the settings, which their reader alone is told.
            let before = try await community.reviews.review(of: said, by: reader)
            for book in [chosen, said] {
                let back = Reviews.NewReview(rating: before.rating, body: nil, visibility: .set(nil))
                let review = try await community.reviews.put(back, on: book, by: reader).review
                #expect(review.visibility == .public)
            }
            let back = try await community.reviews.review(of: said, by: reader)
            #expect(before.levelIsOwn == true && back.levelIsOwn == false)
            #expect(back.version == before.version && back.editedAt == before.editedAt)
            #expect(try await community.reviews.review(back.id, for: .reader(friend)).review?.levelIsOwn == nil)
            let again = Reviews.NewReview(rating: back.rating, body: nil, visibility: .set(nil))
            #expect(try await community.reviews.put(again, on: said, by: reader) == .unchanged(back))
            #expect(try await seen(chosen, .anonymous))
            try await community.profiles.change([.reviews: .friends], for: reader)
            for book in [plain, chosen, said] {
                #expect(try await seen(book, .reader(friend)))
                #expect(try await !seen(book, .reader(other)))
                #expect(try await community.reviews.tally(of: book).n == 0)
            }
            #expect(try await world.differences() == [])
            let late = try await world.given.book()
            #expect(try await world.given.review(by: reader, of: late).visibility == .friends)
            #expect(try await world.given.review(by: reader, of: plain, rating: 1).visibility == .friends)
        }
    }

    @Test func `who has not proven the address shows reviews to friends at most`() async throws {
        try await withWorld(leaving: [.outbox, .jobs], settings: { $0.isLoopback = false }) { world in
            let reader = try await world.given.reader(isVerified: false)
            let store = world.community.profiles
            try await store.change([.reviews: .friends], for: reader)
            await #expect(throws: Failure.unverified) { try await store.change([.reviews: .public], for: reader) }
            #expect(try await store.change([.reviews: .private], for: reader)[.reviews] == .private)
        }
    }

    @Test func `what changes nothing tells nobody`() async throws {
        try await withWorld { world in
            let reader = try await world.given.reader()
            try await world.community.profiles.change([.shelves: .members, .notes: .private], for: reader)
            #expect(try await world.asSuperuser("select 1 from privacy").isEmpty)
        }
    }

    @Test func `a refused change changes nothing`() async throws {
        try await withWorld { world in
            let reader = try await world.given.reader()
            await #expect(throws: Failure.preconditionFailed("old")) {
                try await world.community.profiles.change([.bio: .private], for: reader) { _ in
                    throw Failure.preconditionFailed("old")
                }
            }
            #expect(try await world.community.profiles.privacy(of: reader) == Privacy())
        }
    }
}
