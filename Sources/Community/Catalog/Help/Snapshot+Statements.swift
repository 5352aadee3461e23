import Postgres

// The fields of one thing, read under its row's lock and written back.

extension Catalog {
    /// A thing as it is now.
    struct Snapshot: Sendable {
        var facts: Facts
        let version: Int
        /// What it was merged into.
        let mergedInto: Int64?
        let isWithdrawn: Bool

        /// Reads the columns `version`, `merged_into` and `is_withdrawn`.
        fileprivate init(_ facts: Facts, _ columns: inout Columns) throws {
            self.facts = facts
            version = try columns("version")
            mergedInto = try columns("merged_into")
            isWithdrawn = try columns("is_withdrawn")
        }
    }

    struct ReadBookFacts: Statement {
        static let sql: SQL<Self> = """
            select title, subtitle, description, year, language, kind, form, locked,
                   array(select genre.slug from work_genre join genre on genre.id = genre_id
                          where work_id = work.id order by genre.slug) as genres,
                   array(select work_author.author_id from work_author where work_id = work.id order by position) as authors,
                   array(select author.name from work_author join author on author.id = work_author.author_id
                          where work_id = work.id order by position) as author_names,
                   array(select work_author.role from work_author where work_id = work.id order by position) as roles,
                   array(select subject.name from work_subject join subject on subject.id = subject_id
                          where work_id = work.id order by subject.id) as subjects,
                   array(select subject.kind from work_subject join subject on subject.id = subject_id
                          where work_id = work.id order by subject.id) as subject_kinds,
                   array(select series.name from work_series join series on series.id = series_id
                          where work_id = work.id order by place) as series,
                   array(select work_series.position from work_series where work_id = work.id order by place) as positions,
                   version, merged_into, withdrawn_at is not null as is_withdrawn
              from work
             where id = \(\.work)
               for update
            """
        let work: ID<Work>

        static func decode(_ columns: inout Columns) throws -> Snapshot {
            let facts: Facts = [
                .title: Fact(try columns("title") as String?), .subtitle: Fact(try columns("subtitle") as String?),
                .description: Fact(try columns("description") as String?), .year: Fact(try columns("year") as Int?),
                .language: Fact(try columns("language") as String?), .kind: Fact(try columns("kind") as String?),
                .form: Fact(try columns("form") as String?), .locked: .texts(try columns("locked")),
                .genres: .texts(try columns("genres")),
                .authors: .parts(try people(&columns, ids: "authors", names: "author_names", roles: "roles")),
                .subjects: .parts(
                    zip(try columns("subjects") as [String], try columns("subject_kinds") as [String])
                        .map { Fact.Part(name: $0, kind: $1) }),
                .series: .parts(
                    zip(try columns("series") as [String], try columns("positions") as [String?])
                        .map { Fact.Part(name: $0, position: $1) }),
            ]
            return try Snapshot(facts, &columns)
        }
    }

    struct ReadEditionFacts: Statement {
        static let sql: SQL<Self> = """
            select work_id, title, subtitle, publisher, published, pages, minutes,
                   array(select author_id from edition_contributor where edition_id = edition.id order by position) as people,
                   array(select author.name from edition_contributor join author on author.id = author_id
                          where edition_id = edition.id order by position) as people_names,
                   array(select role from edition_contributor where edition_id = edition.id order by position) as roles,
                   access_modes, accessibility_features, accessibility_hazards, accessibility_summary, language, format, locked,
                   array(select isbn from edition_isbn where edition_id = edition.id order by isbn) as isbns,
                   version, merged_into,
                   withdrawn_at is not null
                   or exists (select 1 from work where work.id = \(Catalog.resolved("edition.work_id")) and work.withdrawn_at is not null)
                   as is_withdrawn
              from edition
             where id = \(\.edition)
               for update
            """
        let edition: ID<Edition>

        static func decode(_ columns: inout Columns) throws -> Snapshot {
            let work: ID<Work> = try columns("work_id")
            let facts: Facts = [
                .book: .text(work.text), .title: Fact(try columns("title") as String?),
                .subtitle: Fact(try columns("subtitle") as String?),
                .publisher: Fact(try columns("publisher") as String?),
                .published: Fact(try columns("published") as String?), .pages: Fact(try columns("pages") as Int?),
                .minutes: Fact(try columns("minutes") as Int?),
                .contributors: .parts(try people(&columns, ids: "people", names: "people_names", roles: "roles")),
                .accessModes: .texts(try columns("access_modes")),
                .accessibilityFeatures: .texts(try columns("accessibility_features")),
                .accessibilityHazards: .texts(try columns("accessibility_hazards")),
                .accessibilitySummary: Fact(try columns("accessibility_summary") as String?),
                .language: Fact(try columns("language") as String?), .format: Fact(try columns("format") as String?),
                .locked: .texts(try columns("locked")), .isbns: .texts((try columns("isbns") as [ISBN]).map(\.text)),
            ]
            return try Snapshot(facts, &columns)
        }
    }

    /// Three columns of arrays that go together.
    private static func people(
        _ columns: inout Columns, ids: StaticString, names: StaticString, roles: StaticString
    ) throws -> [Fact.Part] {
        let (ids, names): ([ID<Author>], [String?]) = (try columns(ids), try columns(names))
        let roles: [String?] = try columns(roles)
        return ids.indices.map { Fact.Part(id: ids[$0].text, name: names[$0], role: roles[$0]) }
    }

    struct ReadAuthorFacts: Statement {
        static let sql: SQL<Self> = """
            select name, aliases, birth, death, about, locked, version, merged_into,
                   withdrawn_at is not null as is_withdrawn
              from author
             where id = \(\.author)
               for update
            """
        let author: ID<Author>

        static func decode(_ columns: inout Columns) throws -> Snapshot {
            let facts: Facts = [
                .name: Fact(try columns("name") as String?), .aliases: .texts(try columns("aliases")),
                .birth: Fact(try columns("birth") as String?), .death: Fact(try columns("death") as String?),
                .description: Fact(try columns("about") as String?), .locked: .texts(try columns("locked")),
            ]
            return try Snapshot(facts, &columns)
        }
    }

    /// The columns of the work's own row.
    struct WriteBook: Statement {
        static let sql: SQL<Self> = """
            update work
               set title = \(\.facts[.title]?.text, "title"), subtitle = \(\.facts[.subtitle]?.text, "subtitle"),
                   description = \(\.facts[.description]?.text, "description"),
                   year = \(\.facts[.year]?.number, "year"), language = \(\.facts[.language]?.text, "language"),
                   kind = \(\.facts[.kind]?.text, "kind"), form = \(\.facts[.form]?.text, "form"),
                   locked = \(\.facts.lockedNames, "locked"), page = null, version = version + 1
             where id = \(\.work)
            """
        let work: ID<Work>, facts: Facts
    }

    struct WriteEdition: Statement {
        static let sql: SQL<Self> = """
            update edition
               set work_id = \(\.work), title = \(\.facts[.title]?.text, "title"),
                   subtitle = \(\.facts[.subtitle]?.text, "subtitle"), publisher = \(\.facts[.publisher]?.text, "publisher"),
                   published = \(\.facts[.published]?.text, "published"), language = \(\.facts[.language]?.text, "language"),
                   format = \(\.facts[.format]?.text, "format"),
                   year = \(\.year, "year"), pages = \(\.facts[.pages]?.number, "pages"),
                   minutes = \(\.facts[.minutes]?.number, "minutes"), access_modes = \(\.modes, "modes"),
                   accessibility_features = \(\.features, "features"), accessibility_hazards = \(\.hazards, "hazards"),
                   accessibility_summary = \(\.facts[.accessibilitySummary]?.text, "accessibility_summary"),
                   locked = \(\.facts.lockedNames, "locked"), version = version + 1
             where id = \(\.edition)
            """
        let edition: ID<Edition>, work: ID<Work>, facts: Facts
        private var year: Int16? { facts[.published]?.text.flatMap { OpenLibraryLine.year(in: $0) } }
        private var modes: [String] { facts[.accessModes]?.texts ?? [] }
        private var features: [String] { facts[.accessibilityFeatures]?.texts ?? [] }
        private var hazards: [String] { facts[.accessibilityHazards]?.texts ?? [] }
    }

    /// Names who made an edition that names nobody yet, in this order.
    struct LinkContributors: Statement {
        static let sql: SQL<Self> = """
            insert into edition_contributor (edition_id, position, author_id, role)
            select \(\.edition), position, author_id, role
              from unnest(\(\.authors)::bigint[], \(\.roles)::text[]) with ordinality as line (author_id, role, position)
            """
        let edition: ID<Edition>, authors: [ID<Author>], roles: [String]
    }

    struct UnlinkContributors: Statement {
        static let sql: SQL<Self> = "delete from edition_contributor where edition_id = \(\.edition)"
        let edition: ID<Edition>
    }

    /// Editions that have one of these ISBNs, with the book that each is of.
    struct EditionsOfISBNs: Statement {
        static let sql: SQL<Self> = """
            select edition_isbn.isbn, edition.work_id
              from edition_isbn
              join edition on edition.id = edition_isbn.edition_id
              join work on work.id = edition.work_id and work.withdrawn_at is null
             where edition_isbn.isbn = any(\(\.isbns))
               and edition.withdrawn_at is null
             order by edition_isbn.isbn, edition.id
            """
        let isbns: [ISBN]

        static func decode(_ columns: inout Columns) throws -> (isbn: ISBN, work: ID<Work>) {
            (try columns("isbn"), try columns("work_id"))
        }
    }

    struct WriteAuthor: Statement {
        static let sql: SQL<Self> = """
            update author
               set name = \(\.facts[.name]?.text, "name"), birth = \(\.facts[.birth]?.text, "birth"),
                   death = \(\.facts[.death]?.text, "death"), about = \(\.facts[.description]?.text, "about"),
                   aliases = \(\.aliases, "aliases"), folded = \(\.folded, "folded"), locked = \(\.facts.lockedNames, "locked"),
                   version = version + 1
             where id = \(\.author)
            """
        let author: ID<Author>, facts: Facts
        private var aliases: [String] { facts[.aliases]?.texts ?? [] }
        private var folded: String {
            ([facts[.name]?.text].compactMap(\.self) + aliases).map { Normaliser.fold($0) }
                .joined(separator: " ")
        }
    }

    /// Living authors whose folded name and aliases begin with one folded name, those of exactly that name first; at
    /// most 50. Served by index `author_by_name`.
    struct AuthorsCalled: Statement {
        static let sql: SQL<Self> = """
            select id, name
              from author
             where left(folded, 200) collate "C" >= \(\.known, "known")
               and left(folded, 200) collate "C" < \(\.end, "end")
               and merged_into is null
               and withdrawn_at is null
             order by left(folded, 200) collate "C", id
             limit 50
            """
        /// As `Normaliser.fold` makes it.
        let folded: String
        // Behind the name comes nothing, or a space and the aliases; a long one is compared as far as the index knows
        // it.
        private var known: String { String(folded.unicodeScalars.prefix(200)) }
        private var end: String { known + (known == folded ? "!" : "\u{10FFFF}") }

        static func decode(_ columns: inout Columns) throws -> (id: ID<Author>, name: String?) {
            (try columns("id"), try columns("name"))
        }
    }

    /// The author that an id means, with the name: what it was merged into, where it was. Cannot be merged before the
    /// transaction ends.
    struct LivingAuthor: Statement {
        static let sql: SQL<Self> = """
            select author.id, author.name
              from author
             where author.id = (select coalesce(merged_into, id) from author where id = \(\.author))
               and author.merged_into is null
               and author.withdrawn_at is null
               for key share
            """
        let author: ID<Author>
        static func decode(_ columns: inout Columns) throws -> (id: ID<Author>, name: String?) {
            (try columns("id"), try columns("name"))
        }
    }

    /// The work that an id means: what it was merged into, where it was. Cannot be merged before the transaction ends.
    struct LivingWork: Statement {
        static let sql: SQL<Self> = """
            select work.id
              from work
             where work.id = \(Catalog.resolved("\(\.work)"))
               and work.merged_into is null
               and work.withdrawn_at is null
               for key share
            """
        let work: ID<Work>
        typealias Output = ID<Work>
    }

    /// The keys of the series that a work stands in.
    struct SeriesKeys: Statement {
        static let sql: SQL<Self> = """
            select series.folded, series.author_folded
              from work_series
              join series on series.id = work_series.series_id
             where work_series.work_id = \(\.work)
             order by work_series.place
            """
        let work: ID<Work>
        static func decode(_ columns: inout Columns) throws -> Heading {
            Heading(folded: try columns("folded"), scope: try columns("author_folded"))
        }
    }
}

extension Catalog.Facts {
    /// The names of locked fields.
    fileprivate var lockedNames: [String] { self[.locked]?.texts ?? [] }
}
