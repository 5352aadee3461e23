import Postgres

extension Catalog {
    static let authorStatements: [any Statement.Type] = [InsertAuthors.self, UpdateAuthors.self]

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
                ([record.name].compactMap { $0 } + record.aliases).map { Search.Normaliser.fold($0) }.joined(
                    separator: " "))
            aliases.append(record.aliases.joined(separator: "\u{1F}"))
            births.append(record.birth)
            deaths.append(record.death)
            abouts.append(record.about)
        }

        func bind(to parameters: inout Parameters) {
            parameters.append(ids)
            parameters.append(names)
            parameters.append(folded)
            parameters.append(aliases)
            parameters.append(births)
            parameters.append(deaths)
            parameters.append(abouts)
        }
    }

    struct InsertAuthors: PositionalStatement {
        static let name = "catalog.insert_authors"
        static let sql = """
            insert into author (id, name, folded, aliases, birth, death, about)
            select id, name, folded, string_to_array(aliases, e'\\x1f'), birth, death, about
              from unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[])
                   as line (id, name, folded, aliases, birth, death, about)
            """
        let columns: AuthorColumns
        func bind(to parameters: inout Parameters) { columns.bind(to: &parameters) }
    }

    struct UpdateAuthors: PositionalStatement {
        static let name = "catalog.update_authors"
        static let sql = """
            update author
               set name = line.name, folded = line.folded, aliases = string_to_array(line.aliases, e'\\x1f'),
                   birth = line.birth, death = line.death, about = line.about, withdrawn_at = null
              from unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[])
                   as line (id, name, folded, aliases, birth, death, about)
             where author.id = line.id
            """
        let columns: AuthorColumns
        func bind(to parameters: inout Parameters) { columns.bind(to: &parameters) }
    }
}
