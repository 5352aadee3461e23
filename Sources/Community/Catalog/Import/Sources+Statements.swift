import Postgres

// Where records came from: the tables author_source, work_source and edition_source, which are alike but for the
// entity's name.

extension Catalog {
    /// What is stored under one source key.
    struct Found<Entity>: Sendable {
        let id: ID<Entity>
        let stamp: Stamp
        let isAlias: Bool

        /// Only referred to so far.
        var isBare: Bool { stamp.digest == 0 }

        init(id: ID<Entity>, stamp: Stamp, isAlias: Bool) {
            self.id = id
            self.stamp = stamp
            self.isAlias = isAlias
        }

        /// Reads the columns `id`, `revision`, `digest` and `is_alias`.
        init(_ columns: inout Columns) throws {
            self.init(
                id: try columns("id"), stamp: Stamp(revision: try columns("revision"), digest: try columns("digest")),
                isAlias: try columns("is_alias"))
        }
    }

    struct FindAuthors: Statement {
        static let name = "catalog.find_author_sources"
        static let sql: SQL<Self> = """
            select key, author_id as id, revision, digest, is_alias from author_source where key = any(\(\.keys))
            """
        let keys: [String]
        static func decode(_ columns: inout Columns) throws -> (String, Found<Author>) {
            (try columns("key"), try Found(&columns))
        }
    }

    struct FindWorks: Statement {
        static let name = "catalog.find_work_sources"
        static let sql: SQL<Self> =
            "select key, work_id as id, revision, digest, is_alias from work_source where key = any(\(\.keys))"
        let keys: [String]
        static func decode(_ columns: inout Columns) throws -> (String, Found<Work>) {
            (try columns("key"), try Found(&columns))
        }
    }

    /// Columns of the sources of things of one kind.
    struct SourceColumns: Sendable {
        let kind: Thing.Kind
        private(set) var keys: [String] = []
        private(set) var things: [Thing] = []
        private var revisions: [Int32?] = []
        private var digests: [Int64] = []
        private var aliases: [Bool] = []

        init(_ kind: Thing.Kind) { self.kind = kind }

        mutating func append(_ key: String, _ thing: Thing, _ stamp: Stamp, isAlias: Bool = false) {
            precondition(thing.kind == kind, "a thing of another kind would go into the sources of \(kind)")
            keys.append(key)
            things.append(thing)
            revisions.append(stamp.revision)
            digests.append(stamp.digest)
            aliases.append(isAlias)
        }

        /// A row for each key, put into the sources of that kind.
        static func inserted(_ kind: Thing.Kind) -> SQL<Self> {
            """
            insert into \(kind.table)_source (key, \(kind.table)_id, revision, digest, is_alias)
            select key, id, revision, digest, is_alias
              from unnest(\(\.keys)::text[], \(\.things, each: \.id, "things.id")::bigint[], \(\.revisions)::integer[], \(\.digests)::bigint[], \(\.aliases)::boolean[])
                   as line (key, id, revision, digest, is_alias)
            """
        }
    }

    /// Keys that are not there yet: cheaper than putting them.
    struct AddSources: VariedStatement {
        static func sql(_ kind: Thing.Kind) -> SQL<Self> { SourceColumns.inserted(kind).of(\.columns) }
        let columns: SourceColumns
        var variation: Thing.Kind { columns.kind }
    }

    struct PutSources: VariedStatement {
        static func sql(_ kind: Thing.Kind) -> SQL<Self> {
            """
            \(SourceColumns.inserted(kind).of(\Self.columns))
                on conflict (key) do update
               set \(kind.table)_id = excluded.\(kind.table)_id, revision = excluded.revision,
                   digest = excluded.digest, is_alias = excluded.is_alias
            """
        }
        let columns: SourceColumns
        var variation: Thing.Kind { columns.kind }
    }

    /// Leads all keys of one thing to another of its kind.
    struct MoveSources: VariedStatement {
        static func sql(_ kind: Thing.Kind) -> SQL<Self> {
            """
            update \(kind.table)_source
               set \(kind.table)_id = \(\.into.id, "into.id"), is_alias = true
             where \(kind.table)_id = \(\.from.id, "from.id")
            """
        }
        let from: Thing, into: Thing
        var variation: Thing.Kind { from.kind }

        init(from: ID<Work>, into: ID<Work>) { (self.from, self.into) = (.book(from), .book(into)) }
        init(from: ID<Edition>, into: ID<Edition>) { (self.from, self.into) = (.edition(from), .edition(into)) }
        init(from: ID<Author>, into: ID<Author>) { (self.from, self.into) = (.author(from), .author(into)) }
    }
}

extension Catalog.Thing.Kind: Variation {
    /// The table of such things; that of their sources is `<table>_source`.
    var table: Fragment { self == .book ? "work" : "\(column: self)" }
}
