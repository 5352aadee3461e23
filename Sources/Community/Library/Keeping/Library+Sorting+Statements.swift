import Jobs
import Postgres

extension Library {
    /// Says that titles, authors or years of these works are new: a job brings the entries of those that stand on
    /// shelves up to date, within seconds of the commit.
    package static func sortAnew(_ works: [ID<Catalog.Work>], in queryable: some Queryable) async throws {
        guard !works.isEmpty else { return }
        for work in try await queryable.all(Statements.ShelvedAmong(works: works)) {
            try await SortAnew(work: work).enqueue(in: queryable)
        }
    }

    /// The same for all works of these authors.
    package static func sortAnew(worksOf authors: [ID<Catalog.Author>], in queryable: some Queryable) async throws {
        guard !authors.isEmpty else { return }
        for work in try await queryable.all(Statements.ShelvedWorksOf(authors: authors)) {
            try await SortAnew(work: work).enqueue(in: queryable)
        }
    }
}

extension Library.Statements {
    /// Those of these works that stand on a shelf. Served by index `shelf_entry_of_work`.
    struct ShelvedAmong: Statement {
        static let sql: SQL<Self> = """
            select line.id
              from unnest(\(\.works)::bigint[]) as line (id)
             where exists (select 1 from shelf_entry where shelf_entry.work_id = line.id)
             order by line.id
            """
        let works: [ID<Catalog.Work>]
        typealias Output = ID<Catalog.Work>
    }

    /// Works of these authors that stand on a shelf.
    struct ShelvedWorksOf: Statement {
        static let sql: SQL<Self> = """
            select distinct work_author.work_id
              from work_author
             where work_author.author_id = any(\(\.authors))
               and exists (select 1 from shelf_entry where shelf_entry.work_id = work_author.work_id)
             order by work_author.work_id
            """
        let authors: [ID<Catalog.Author>]
        typealias Output = ID<Catalog.Work>
    }
}
