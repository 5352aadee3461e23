import Postgres

extension Places.Statements {
    private static func shown<S>(_ edition: SQL<S>) -> SQL<S> {
        """
        select id
          from edition
         where id = (select coalesce(merged_into, id) from edition where id = \(edition))
           and withdrawn_at is null
        """
    }

    /// The edition that an id means, where it is shown: what it was merged into, where it was.
    struct EditionShown: Statement {
        static let sql: SQL<Self> = shown("\(\.edition)")
        let edition: ID<Catalog.Edition>
        typealias Output = ID<Catalog.Edition>
    }

    /// The same; lets writers of the chapters of one edition take turns.
    struct LockEdition: Statement {
        static let sql: SQL<Self> = "\(shown("\(\.edition)"))\n   for no key update"
        let edition: ID<Catalog.Edition>
        typealias Output = ID<Catalog.Edition>
    }

    struct ChaptersOf: Statement {
        static let sql: SQL<Self> =
            "select title, position from edition_chapter where edition_id = \(\.edition) order by number"
        let edition: ID<Catalog.Edition>

        static func decode(_ columns: inout Columns) throws -> Places.Chapter {
            Places.Chapter(title: try columns("title"), position: try columns("position"))
        }
    }

    struct DropChapters: Statement {
        static let sql: SQL<Self> = "delete from edition_chapter where edition_id = \(\.edition)"
        let edition: ID<Catalog.Edition>
    }

    struct InsertChapters: Statement {
        static let sql: SQL<Self> = """
            insert into edition_chapter (edition_id, number, title, position)
            select \(\.edition), number, nullif(title, ''), position
              from unnest(\(\.chapters, each: \.title)::text[], \(\.chapters, each: \.position)::integer[]) with ordinality chapter (title, position, number)
            """
        let edition: ID<Catalog.Edition>, chapters: [Places.Chapter]
    }
}
