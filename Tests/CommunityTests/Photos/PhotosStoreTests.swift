import Postgres
import TestSupport
import Testing

@testable import Community

@Suite(.database)
struct PhotosStoreTests {
    @Test func `a photograph gives away as much as its place, or as a post of its reader would`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let given = world.given
            let (fiction, facts) = (try await given.book("Emma"), try await given.book("Bees"))
            try await world.asSuperuser("update work set form = 'nonfiction' where id = \(facts)")
            let reader = try await given.reader()
            try await given.shelved(fiction, .reading, by: reader)
            try await given.position(.page(60, of: 200), in: fiction, by: reader)
            func place(_ page: Int?, _ position: Int?, in work: ID<Catalog.Work>) async throws -> Photos.Place {
                let ground = try await world.database.one(
                    Photos.Statements.GroundOf(reader: reader, work: work, edition: nil))
                return try await world.community.photos.place(
                    page: page, position: position, on: ground, in: work, of: reader, root: "?", world.database)
            }
            #expect(try await place(50, nil, in: fiction) == Photos.Place(page: 50, position: 2500, scope: .upto(2500)))
            #expect(
                try await place(50, 9000, in: fiction) == Photos.Place(page: 50, position: 9000, scope: .upto(9000)))
            #expect(
                try await place(nil, nil, in: fiction) == Photos.Place(page: nil, position: nil, scope: .upto(3000)))
            #expect(try await place(nil, 9000, in: facts) == Photos.Place(page: nil, position: 9000, scope: .free))
            // How many pages there are is not known: the page is remembered, and where it is stays open.
            #expect(try await place(50, nil, in: facts) == Photos.Place(page: 50, position: nil, scope: .free))
            await #expect(throws: Failure.invalid("?page", .outOfRange, "must be 0 to 200")) {
                _ = try await place(201, nil, in: fiction)
            }
        }
    }

    @Test func `only its reader's own photographs of a book are held, and those are shown by whom they are for`()
        async throws
    {
        try await withWorld(leaving: .outbox) { world in
            let given = world.given
            let (emma, other) = (try await given.book("Emma"), try await given.book("Other"))
            let (ann, ben) = (try await given.reader(), try await given.reader())
            let mine = try await given.photo(of: emma, by: ann, comment: "mine")
            let ahead = try await given.photo(of: emma, by: ann, comment: "ahead", scope: 4_000, visibility: .public)
            let elsewhere = try await given.photo(of: other, by: ann)
            let theirs = try await given.photo(of: emma, by: ben)
            let ids = [mine, ahead, elsewhere, theirs, ID(rawValue: 7)]
            let held = try await world.database.transaction { try await Photos.hold(ids, of: ann, in: emma, $0) }
            #expect(held == [mine, ahead])
            let own = try await Photos.shown(ids, for: .reader(ann), in: world.database)
            #expect(Set(own.keys) == [mine, ahead, elsewhere] && own.values.allSatisfy { $0.photo != nil })
            let others = try await Photos.shown(ids, for: .reader(ben), in: world.database)
            let placeholder = Gate.Placeholder(id: ahead.rawValue, kind: "photo", position: 4_000)
            #expect(Set(others.keys) == [ahead, theirs] && others[ahead] == .gated(placeholder))
            #expect(try await Photos.shown([], for: .anonymous, in: world.database).isEmpty)

            var gone: Set<ID<Photos.Photo>> = []
            for photo in ids {
                let isGone = try await world.database.transaction { transaction in
                    try await transaction.run(Accounts.Statements.LockState(reader: ann))
                    return try await Photos.remove(photo, by: ann, at: world.clock.now(), in: transaction)
                }
                if isGone { gone.insert(photo) }
            }
            #expect(gone == [mine, ahead, elsewhere])
            #expect(try await world.asSuperuser("select count(*) from photo") == [["1"]])
            #expect(try await world.work() == 0)
            #expect(try await world.everyDifference() == [])
        }
    }

    @Test func `photographs go over with a merge of books, and with one of editions`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let given = world.given
            let (from, into) = (try await given.book("Emma"), try await given.book("Emma, again"))
            let reader = try await given.reader()
            let photo = try await given.photo(of: from, by: reader, comment: "zqcomment")
            try await world.asSuperuser(
                """
                insert into own_words (kind, id, reader_id, work_id, words)
                values ('photo', \(photo), \(reader), \(from), 'zqcomment'::tsvector);
                update photo set edition_id = (select id from edition where work_id = \(from));
                """)
            let editions = try await world.asSuperuser(
                "select id from edition where work_id in (\(from), \(into)) order by id"
            )
            .compactMap { $0[0].flatMap { ID<Catalog.Edition>(text: $0) } }
            try await world.community.catalog.merge(.book(from), into: .book(into), by: Catalog.Helper(World.terminal))
            #expect(try await world.asSuperuser("select work_id from photo") == [[into.text]])
            #expect(try await world.asSuperuser("select work_id from own_words") == [[into.text]])
            for work in [from, into] {
                let page = try await world.community.photos.photos(of: work, for: .reader(reader), page: PageRequest())
                #expect(page.items.map(\.id) == [photo])
            }
            try await world.community.catalog.merge(
                .edition(editions[0]), into: .edition(editions[1]), by: Catalog.Helper(World.terminal))
            #expect(try await world.asSuperuser("select edition_id from photo") == [[editions[1].text]])
            #expect(try await world.everyDifference() == [])
        }
    }

    @Test func `the end of an account takes its photographs, their words and their files`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            let given = world.given
            let book = try await given.book()
            let (ann, ben) = (try await given.reader(), try await given.reader())
            for _ in 1...3 { _ = try await given.photo(of: book, by: ann, comment: "mine") }
            _ = try await given.photo(of: book, by: ben, comment: "other")
            try await world.asSuperuser(
                """
                insert into own_words (kind, id, reader_id, work_id, words)
                select 'photo', id, reader_id, work_id, 'mine'::tsvector from photo
                """)
            try await world.community.accounts.close(ann)
            for table in ["photo", "own_words", "picture", "media_tally"] {
                #expect(try await world.asSuperuser("select count(*) from \(table)") == [["1"]], "\(table)")
            }
            _ = try await world.work()
            #expect(try await world.asSuperuser("select count(*) from media_file") == [["3"]])
            #expect(try await world.everyDifference() == [])
        }
    }
}

extension Gate.Scope {
    fileprivate static func upto(_ position: Int) -> Gate.Scope { Gate.Scope(position: position) ?? .finished }
}
