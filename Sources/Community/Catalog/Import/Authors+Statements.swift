import Postgres

extension Catalog {
    /// Columns of authors.
    struct AuthorColumns: Sendable {
        var ids: [ID<Author>] = []
        var names: [String?] = []
        var folded: [String] = []
        /// Aliases of one author, separated by U+001F.
        var aliases: [String] = []
        var births: [String?] = []
        var deaths: [String?] = []
        var abouts: [String?] = []

        mutating func append(_ id: ID<Author>, _ record: AuthorRecord) {
            ids.append(id)
            names.append(record.name)
            folded.append(
                ([record.name].compactMap { $0 } + record.aliases).map { Normaliser.fold($0) }.joined(
                    separator: " "))
            aliases.append(record.aliases.joined(separator: "\u{1F}"))
            births.append(record.birth)
            deaths.append(record.death)
            abouts.append(record.about)
        }

        /// A row for each.
        static let rows: SQL<Self> = """
            unnest(\(\.ids)::bigint[], \(\.names)::text[], \(\.folded)::text[], \(\.aliases)::text[], \(\.births)::text[], \(\.deaths)::text[], \(\.abouts)::text[])
                   as line (id, name, folded, aliases, birth, death, about)
            """
    }

    struct InsertAuthors: Statement {
        static let sql: SQL<Self> = """
            insert into author (id, name, folded, aliases, birth, death, about)
            select id, name, folded, string_to_array(aliases, e'\\x1f'), birth, death, about
              from \(AuthorColumns.rows.of(\Self.columns))
            """
        let columns: AuthorColumns
    }

    struct UpdateAuthors: Statement {
        static let sql: SQL<Self> = """
            update author
               set name = line.name, folded = line.folded, aliases = string_to_array(line.aliases, e'\\x1f'),
                   birth = line.birth, death = line.death, about = line.about, withdrawn_at = null
              from \(AuthorColumns.rows.of(\Self.columns))
             where author.id = line.id
            """
        let columns: AuthorColumns
    }
}
