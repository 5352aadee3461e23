import Postgres

// The fields of one thing, read under its row's lock and written back.

extension Catalog {
    static let snapshotStatements: [any Statement.Type] = [
        ReadBookFacts.self, ReadEditionFacts.self, ReadAuthorFacts.self, WriteBook.self, WriteEdition.self,
        WriteAuthor.self, AuthorsCalled.self, LivingAuthor.self, LivingWork.self, SeriesKeys.self,
    ]

    /// A thing as it is now.
    struct Snapshot: Sendable {
        var facts: Facts
        let version: Int
        /// What it was merged into.
        let mergedInto: Int64?
        let isWithdrawn: Bool
    }

    struct ReadBookFacts: OfWork {
        static let name = "catalog.read_book_facts"
        static let sql = """
            select version, merged_into, withdrawn_at is not null, title, subtitle, description, year, language, kind, form, locked,
                   array(select work_author.author_id from work_author where work_id = work.id order by position),
                   array(select author.name from work_author join author on author.id = work_author.author_id
                          where work_id = work.id order by position),
                   array(select genre.slug from work_genre join genre on genre.id = genre_id
                          where work_id = work.id order by genre.slug),
                   array(select subject.name from work_subject join subject on subject.id = subject_id
                          where work_id = work.id order by subject.id),
                   array(select subject.kind from work_subject join subject on subject.id = subject_id
                          where work_id = work.id order by subject.id),
                   array(select series.name from work_series join series on series.id = series_id
                          where work_id = work.id order by place),
                   array(select work_series.position from work_series where work_id = work.id order by place)
              from work
             where id = $1
               for update
            """
        let work: ID<Work>

        static func decode(_ row: borrowing Row) throws -> Snapshot {
            let year: Int16? = try row[6]
            let authors: [ID<Author>] = try row[11]
            let names: [String?] = try row[12]
            let subjects: [String] = try row[14]
            let kinds: [String] = try row[15]
            let series: [String] = try row[16]
            let positions: [String?] = try row[17]
            let facts: Facts = [
                .title: Fact(try row[3] as String?), .subtitle: Fact(try row[4] as String?),
                .description: Fact(try row[5] as String?), .year: Fact(year.map(Int.init)),
                .language: Fact(try row[7] as String?), .kind: Fact(try row[8] as String?),
                .form: Fact(try row[9] as String?), .locked: .texts(try row[10]), .genres: .texts(try row[13]),
                .authors: .parts(zip(authors, names).map { Fact.Part(id: $0.text, name: $1) }),
                .subjects: .parts(zip(subjects, kinds).map { Fact.Part(name: $0, kind: $1) }),
                .series: .parts(zip(series, positions).map { Fact.Part(name: $0, position: $1) }),
            ]
            return Snapshot(facts: facts, version: try row[0], mergedInto: try row[1], isWithdrawn: try row[2])
        }
    }

    struct ReadEditionFacts: Statement {
        static let name = "catalog.read_edition_facts"
        static let sql: SQL<Self> = """
            select work_id, pages,
                   array(select isbn from edition_isbn where edition_id = edition.id order by isbn) as isbns, title,
                   subtitle, publisher, published, language, format, locked, version, merged_into,
                   withdrawn_at is not null as is_withdrawn
              from edition
             where id = \(\.edition)
               for update
            """
        let edition: ID<Edition>

        static func decode(_ columns: inout Columns) throws -> Snapshot {
            let work: ID<Work> = try columns("work_id")
            let pages: Int32? = try columns("pages")
            let isbns: [ISBN] = try columns("isbns")
            let facts: Facts = [
                .book: .text(work.text), .title: Fact(try columns("title") as String?),
                .subtitle: Fact(try columns("subtitle") as String?),
                .publisher: Fact(try columns("publisher") as String?),
                .published: Fact(try columns("published") as String?),
                .pages: Fact(pages.map(Int.init)), .language: Fact(try columns("language") as String?),
                .format: Fact(try columns("format") as String?), .locked: .texts(try columns("locked")),
                .isbns: .texts(isbns.map(\.text)),
            ]
            return Snapshot(
                facts: facts, version: try columns("version"), mergedInto: try columns("merged_into"),
                isWithdrawn: try columns("is_withdrawn"))
        }
    }

    struct ReadAuthorFacts: Statement {
        static let name = "catalog.read_author_facts"
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
                .birth: Fact(try columns("birth") as String?),
                .death: Fact(try columns("death") as String?), .about: Fact(try columns("about") as String?),
                .locked: .texts(try columns("locked")),
            ]
            return Snapshot(
                facts: facts, version: try columns("version"), mergedInto: try columns("merged_into"),
                isWithdrawn: try columns("is_withdrawn"))
        }
    }

    /// The columns of the work's own row.
    struct WriteBook: PositionalStatement {
        static let name = "catalog.write_book"
        static let sql = """
            update work
               set title = $2, subtitle = $3, description = $4, year = $5, language = $6, kind = $7, form = $8, locked = $9,
                   page = null, version = version + 1
             where id = $1
            """
        let work: ID<Work>
        let facts: Facts

        func bind(to parameters: inout Parameters) {
            parameters.append(work)
            for name in [Field.Name.title, .subtitle, .description] { parameters.append(facts[name]?.text) }
            parameters.append(facts[.year]?.number)
            for name in [Field.Name.language, .kind, .form] { parameters.append(facts[name]?.text) }
            parameters.append(facts[.locked]?.texts ?? [])
        }
    }

    struct WriteEdition: PositionalStatement {
        static let name = "catalog.write_edition"
        static let sql = """
            update edition
               set work_id = $2, title = $3, subtitle = $4, publisher = $5, published = $6, language = $7, format = $8,
                   year = $9, pages = $10, locked = $11, version = version + 1
             where id = $1
            """
        let edition: ID<Edition>
        let work: ID<Work>
        let facts: Facts

        func bind(to parameters: inout Parameters) {
            parameters.append(edition)
            parameters.append(work)
            for name in [Field.Name.title, .subtitle, .publisher, .published, .language, .format] {
                parameters.append(facts[name]?.text)
            }
            parameters.append(facts[.published]?.text.flatMap { OpenLibraryLine.year(in: $0) })
            parameters.append(facts[.pages]?.number)
            parameters.append(facts[.locked]?.texts ?? [])
        }
    }

    struct WriteAuthor: PositionalStatement {
        static let name = "catalog.write_author"
        static let sql = """
            update author
               set name = $2, birth = $3, death = $4, about = $5, aliases = $6, folded = $7, locked = $8, version = version + 1
             where id = $1
            """
        let author: ID<Author>
        let facts: Facts

        func bind(to parameters: inout Parameters) {
            parameters.append(author)
            for name in [Field.Name.name, .birth, .death, .about] { parameters.append(facts[name]?.text) }
            let aliases = facts[.aliases]?.texts ?? []
            parameters.append(aliases)
            parameters.append(
                ([facts[.name]?.text].compactMap(\.self) + aliases).map { Search.Normaliser.fold($0) }.joined(
                    separator: " "))
            parameters.append(facts[.locked]?.texts ?? [])
        }
    }

    /// Living authors whose folded name and aliases begin with one folded name, those of exactly that name first; at most 50. Served by index
    /// `author_by_name`.
    struct AuthorsCalled: PositionalStatement {
        static let name = "catalog.authors_called"
        static let sql = """
            select id, name
              from author
             where left(folded, 200) collate "C" >= $1
               and left(folded, 200) collate "C" < $2
               and merged_into is null
               and withdrawn_at is null
             order by left(folded, 200) collate "C", id
             limit 50
            """
        /// As `Search.Normaliser.fold` makes it.
        let folded: String
        func bind(to parameters: inout Parameters) {
            // Behind the name comes nothing, or a space and the aliases; a long one is compared as far as the index knows it.
            let known = String(folded.unicodeScalars.prefix(200))
            parameters.append(known)
            parameters.append(known + (known == folded ? "!" : "\u{10FFFF}"))
        }
        static func decode(_ columns: inout Columns) throws -> (id: ID<Author>, name: String?) {
            (try columns("id"), try columns("name"))
        }
    }

    /// The author that an id means, with the name: what it was merged into, where it was. Cannot be merged before the transaction ends.
    struct LivingAuthor: Statement {
        static let name = "catalog.living_author"
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
    struct LivingWork: OfWork {
        static let name = "catalog.living_work"
        static let sql = """
            select work.id
              from work
             where work.id = (select coalesce(merged_into, id) from work where id = $1)
               and work.merged_into is null
               and work.withdrawn_at is null
               for key share
            """
        let work: ID<Work>
        typealias Output = ID<Work>
    }

    /// The keys of the series that a work stands in.
    struct SeriesKeys: OfWork {
        static let name = "catalog.series_keys"
        static let sql = """
            select series.folded, series.author_folded
              from work_series
              join series on series.id = work_series.series_id
             where work_series.work_id = $1
             order by work_series.place
            """
        let work: ID<Work>
        static func decode(_ columns: inout Columns) throws -> Heading {
            Heading(folded: try columns("folded"), scope: try columns("author_folded"))
        }
    }
}
