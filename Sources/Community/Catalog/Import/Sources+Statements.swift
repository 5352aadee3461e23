import Postgres

// Where records came from: the tables author_source, work_source and edition_source, which are alike but for the entity's name.

extension Catalog {
    static let sourceStatements: [any Statement.Type] = [
        FindSources<Author>.self, FindSources<Work>.self,
        AddSources<Author>.self, AddSources<Work>.self, AddSources<Edition>.self,
        PutSources<Author>.self, PutSources<Work>.self, PutSources<Edition>.self,
    ]

    /// What sources have records of.
    protocol Sourced {
        /// The table's name; that of its sources is `<table>_source`.
        static var table: Fragment { get }
    }

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

        /// Columns 1 to 4: id, revision, digest, is_alias.
        init(_ row: borrowing Row) throws {
            self.init(id: try row[1], stamp: Stamp(revision: try row[2], digest: try row[3]), isAlias: try row[4])
        }
    }

    struct FindSources<Entity: Sourced>: Statement {
        static var name: String { "catalog.find_\(Entity.table)_sources" }
        static var sql: SQL<Self> {
            """
            select key, \(Entity.table)_id, revision, digest, is_alias
              from \(Entity.table)_source
             where key = any(\(\.keys))
            """
        }
        let keys: [String]
        static func decode(_ row: borrowing Row) throws -> (String, Found<Entity>) { (try row[0], try Found(row)) }
    }

    struct SourceColumns<Entity>: Sendable {
        var keys: [String] = []
        var ids: [ID<Entity>] = []
        var revisions: [Int32?] = []
        var digests: [Int64] = []
        var aliases: [Bool] = []

        mutating func append(_ key: String, _ id: ID<Entity>, _ stamp: Stamp, isAlias: Bool = false) {
            keys.append(key)
            ids.append(id)
            revisions.append(stamp.revision)
            digests.append(stamp.digest)
            aliases.append(isAlias)
        }

        /// A row for each key, put into the sources of that kind.
        static func inserted(into table: Fragment) -> SQL<Self> {
            """
            insert into \(table)_source (key, \(table)_id, revision, digest, is_alias)
            select key, id, revision, digest, is_alias
              from unnest(\(\.keys)::text[], \(\.ids)::bigint[], \(\.revisions)::integer[], \(\.digests)::bigint[], \(\.aliases)::boolean[])
                   as line (key, id, revision, digest, is_alias)
            """
        }
    }

    /// Keys that are not there yet: cheaper than putting them.
    struct AddSources<Entity: Sourced>: Statement {
        static var name: String { "catalog.add_\(Entity.table)_sources" }
        static var sql: SQL<Self> {
            SourceColumns<Entity>.inserted(into: Entity.table).of(\Self.columns)
        }
        let columns: SourceColumns<Entity>
    }

    struct PutSources<Entity: Sourced>: Statement {
        static var name: String { "catalog.put_\(Entity.table)_sources" }
        static var sql: SQL<Self> {
            """
            \(SourceColumns<Entity>.inserted(into: Entity.table).of(\Self.columns))
                on conflict (key) do update
               set \(Entity.table)_id = excluded.\(Entity.table)_id, revision = excluded.revision,
                   digest = excluded.digest, is_alias = excluded.is_alias
            """
        }
        let columns: SourceColumns<Entity>
    }

    /// Leads all keys of one entity to another.
    struct MoveSources<Entity: Sourced>: Moving {
        static var name: String { "catalog.move_\(Entity.table)_sources" }
        static var sql: String {
            """
            update \(Entity.table)_source
               set \(Entity.table)_id = $2, is_alias = true
             where \(Entity.table)_id = $1
            """
        }
        let from: ID<Entity>
        let into: ID<Entity>
    }
}

extension Catalog.Author: Catalog.Sourced { static var table: Fragment { "author" } }
extension Catalog.Work: Catalog.Sourced { static var table: Fragment { "work" } }
extension Catalog.Edition: Catalog.Sourced { static var table: Fragment { "edition" } }
