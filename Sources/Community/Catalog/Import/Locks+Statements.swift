import Postgres

// What people set by hand, looked at before an import writes over known rows. The rows are locked, so that no
// correction comes in between.

extension Catalog {
    struct LockedWorks: Statement {
        static let sql: SQL<Self> = """
            select locked, id, title, subtitle, description, year, language
              from work
             where id = any(\(\.works))
             order by id
               for update
            """
        let works: [ID<Work>]

        struct Output: Sendable {
            let id: ID<Work>
            let locked: Set<Field.Name>
            let title, subtitle, description: String?
            let year: Int16?
            let language: String?

            /// The record with what is stored in the place of locked fields.
            func keeping(_ record: WorkRecord) -> WorkRecord {
                guard !locked.isEmpty else { return record }
                var record = record
                if locked.contains(.title) { record.title = title }
                if locked.contains(.subtitle) { record.subtitle = subtitle }
                if locked.contains(.description) { record.description = description }
                if locked.contains(.year) { record.year = year }
                if locked.contains(.language) { record.language = language }
                return record
            }
        }

        static func decode(_ columns: inout Columns) throws -> Output {
            let locked: [String] = try columns("locked")
            return Output(
                id: try columns("id"), locked: Set(locked.compactMap(Field.Name.init(rawValue:))),
                title: try columns("title"), subtitle: try columns("subtitle"), description: try columns("description"),
                year: try columns("year"), language: try columns("language"))
        }
    }

    struct LockedEditions: Statement {
        static let sql: SQL<Self> = """
            select locked, id, title, subtitle, publisher, published, year, pages, language, format,
                   array(select isbn from edition_isbn where edition_id = edition.id order by isbn) as isbns, work_id
              from edition
             where id = any(\(\.editions))
             order by id
               for update
            """
        let editions: [ID<Edition>]

        struct Output: Sendable {
            let id: ID<Edition>
            let locked: Set<Field.Name>
            let title, subtitle, publisher, published: String?
            let year: Int16?
            let pages: Int32?
            let language, format: String?
            let isbns: [ISBN]
            /// The one that it hangs on now.
            let work: ID<Work>

            /// The record with what is stored in the place of locked fields.
            func keeping(_ record: EditionRecord) -> EditionRecord {
                guard !locked.isEmpty else { return record }
                var record = record
                if locked.contains(.title) { record.title = title }
                if locked.contains(.subtitle) { record.subtitle = subtitle }
                if locked.contains(.publisher) { record.publisher = publisher }
                if locked.contains(.published) { (record.published, record.year) = (published, year) }
                if locked.contains(.pages) { record.pages = pages }
                if locked.contains(.language) { record.language = language }
                if locked.contains(.format) { record.format = format }
                if locked.contains(.isbns) { record.isbns = isbns }
                return record
            }
        }

        static func decode(_ columns: inout Columns) throws -> Output {
            let locked: [String] = try columns("locked")
            return Output(
                id: try columns("id"), locked: Set(locked.compactMap(Field.Name.init(rawValue:))),
                title: try columns("title"), subtitle: try columns("subtitle"), publisher: try columns("publisher"),
                published: try columns("published"), year: try columns("year"), pages: try columns("pages"),
                language: try columns("language"), format: try columns("format"), isbns: try columns("isbns"),
                work: try columns("work_id"))
        }
    }

    struct LockedAuthors: Statement {
        static let sql: SQL<Self> = """
            select locked, id, name, aliases, birth, death, about
              from author
             where id = any(\(\.authors))
             order by id
               for update
            """
        let authors: [ID<Author>]

        struct Output: Sendable {
            let id: ID<Author>
            let locked: Set<Field.Name>
            let name: String?
            let aliases: [String]
            let birth, death, about: String?

            /// The record with what is stored in the place of locked fields.
            func keeping(_ record: AuthorRecord) -> AuthorRecord {
                guard !locked.isEmpty else { return record }
                var record = record
                if locked.contains(.name) { record.name = name }
                if locked.contains(.aliases) { record.aliases = aliases }
                if locked.contains(.birth) { record.birth = birth }
                if locked.contains(.death) { record.death = death }
                if locked.contains(.description) { record.about = about }
                return record
            }
        }

        static func decode(_ columns: inout Columns) throws -> Output {
            let locked: [String] = try columns("locked")
            return Output(
                id: try columns("id"), locked: Set(locked.compactMap(Field.Name.init(rawValue:))),
                name: try columns("name"), aliases: try columns("aliases"), birth: try columns("birth"),
                death: try columns("death"), about: try columns("about"))
        }
    }
}
