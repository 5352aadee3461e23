import Postgres

extension Search {
    /// A search that a reader made lately.
    package struct Recent: Sendable, Hashable {
        package let id: ID<RecentSearch>
        /// As it was typed the last time.
        package let query: String
        package let at: Timestamp
        var place: RecentPlace { RecentPlace(at: at, id: id) }
    }

    /// Where a search stands in the list of a reader's, latest first.
    package struct RecentPlace: Hashable, Sendable, Codable {
        let at: Timestamp
        let id: ID<RecentSearch>
        static let first = RecentPlace(at: Timestamp(seconds: 253_402_214_400), id: .max)
    }

    static let recentStatements: [any Statement.Type] = [
        Statements.Remember.self, Statements.ForgetOlder.self, Statements.RecentAfter.self,
        Statements.RecentBefore.self, Statements.ForgetOne.self, Statements.ForgetAll.self,
    ]
}

extension Search.Store {
    /// Keeps what a reader searched for, once for each spelling, the latest 50. A query without letters or digits is not kept; one that goes on
    /// where the reader's last one, of less than a minute ago, stopped takes its place.
    package func remember(_ query: String, of reader: ID<Accounts.Account>) async throws {
        let folded = Search.Normaliser.fold(query).bounded(to: Limits.Catalog.query.upperBound)
        guard !folded.isEmpty, query.utf8.count <= Limits.Catalog.query.upperBound else { return }
        let now = house.clock.now()
        let remember = Search.Statements.Remember(
            id: try house.ids.make(), reader: reader, folded: folded, query: query, at: now,
            continuing: now - .seconds(60))
        try await house.database.batch { batch in
            batch.run(remember)
            batch.run(Search.Statements.ForgetOlder(reader: reader, keeping: Limits.Search.recent))
        }
    }

    /// A reader's recent searches, latest first.
    package func recent(
        of reader: ID<Accounts.Account>, page: PageRequest<Search.RecentPlace>
    ) async throws -> Page<Search.Recent, Search.RecentPlace> {
        let database = house.database
        return try await page.read(
            from: .first, key: \.place,
            after: { try await database.all(Search.Statements.RecentAfter(reader: reader, place: $0, limit: $1)) },
            before: { try await database.all(Search.Statements.RecentBefore(reader: reader, place: $0, limit: $1)) })
    }

    /// Forgets one search. Throws `.notFound` for one that is not the reader's.
    package func forget(_ search: ID<Search.RecentSearch>, of reader: ID<Accounts.Account>) async throws {
        guard try await house.database.run(Search.Statements.ForgetOne(reader: reader, search: search)) == 1 else {
            throw Failure.notFound("search \(search)")
        }
    }

    /// Forgets every search of a reader; at the end of an account in its transaction.
    package func forgetAll(of reader: ID<Accounts.Account>, in queryable: some Queryable) async throws {
        try await queryable.run(Search.Statements.ForgetAll(reader: reader))
    }

    /// Forgets every search of a reader.
    package func forgetAll(of reader: ID<Accounts.Account>) async throws {
        try await forgetAll(of: reader, in: house.database)
    }
}

extension Search.Statements {
    struct Remember: Statement {
        static let name = "search.remember"
        static let sql = """
            with latest as (
                select id, folded from recent_search where reader_id = $2 and at >= $6 order by at desc, id desc limit 1),
            outgrown as (
                delete from recent_search
                 using latest
                 where recent_search.id = latest.id
                   and starts_with($3, latest.folded)
                   and latest.folded <> $3)
            insert into recent_search (id, reader_id, folded, query, at)
            values ($1, $2, $3, $4, $5)
                on conflict (reader_id, folded) do update set query = excluded.query, at = excluded.at
            """
        let id: ID<Search.RecentSearch>
        let reader: ID<Accounts.Account>
        let folded: String
        let query: String
        let at: Timestamp
        /// A search since then may be the beginning of this one.
        let continuing: Timestamp
        func bind(to parameters: inout Parameters) {
            parameters.append(id)
            parameters.append(reader)
            parameters.append(folded)
            parameters.append(query)
            parameters.append(at)
            parameters.append(continuing)
        }
    }

    struct ForgetOlder: Statement {
        static let name = "search.forget_older"
        static let sql = """
            delete from recent_search
             where reader_id = $1
               and id not in (select id from recent_search where reader_id = $1 order by at desc, id desc limit $2)
            """
        let reader: ID<Accounts.Account>
        let keeping: Int
        func bind(to parameters: inout Parameters) {
            parameters.append(reader)
            parameters.append(keeping)
        }
    }

    /// Served by index `recent_search_newest`, as the next one.
    struct RecentAfter: Statement {
        static let name = "search.recent_after"
        static let sql = """
            select id, query, at
              from recent_search
             where reader_id = $1
               and (at, id) < ($2, $3)
             order by at desc, id desc
             limit $4
            """
        let reader: ID<Accounts.Account>
        let place: Search.RecentPlace
        let limit: Int
        func bind(to parameters: inout Parameters) {
            parameters.append(reader)
            parameters.append(place.at)
            parameters.append(place.id)
            parameters.append(limit)
        }
        static func decode(_ row: borrowing Row) throws -> Search.Recent {
            Search.Recent(id: try row[0], query: try row[1], at: try row[2])
        }
    }

    struct RecentBefore: Statement {
        static let name = "search.recent_before"
        static let sql = """
            select id, query, at
              from recent_search
             where reader_id = $1
               and (at, id) > ($2, $3)
             order by at, id
             limit $4
            """
        let reader: ID<Accounts.Account>
        let place: Search.RecentPlace
        let limit: Int
        func bind(to parameters: inout Parameters) {
            parameters.append(reader)
            parameters.append(place.at)
            parameters.append(place.id)
            parameters.append(limit)
        }
        static func decode(_ row: borrowing Row) throws -> Search.Recent {
            Search.Recent(id: try row[0], query: try row[1], at: try row[2])
        }
    }

    struct ForgetOne: Statement {
        static let name = "search.forget_one"
        static let sql = "delete from recent_search where reader_id = $1 and id = $2"
        let reader: ID<Accounts.Account>
        let search: ID<Search.RecentSearch>
        func bind(to parameters: inout Parameters) {
            parameters.append(reader)
            parameters.append(search)
        }
    }

    struct ForgetAll: Statement {
        static let name = "search.forget_all"
        static let sql = "delete from recent_search where reader_id = $1"
        let reader: ID<Accounts.Account>
        func bind(to parameters: inout Parameters) { parameters.append(reader) }
    }
}
