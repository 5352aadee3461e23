import Postgres

/// One thing of the community, of any kind: what is followed, revealed, reacted to, reported or acted on by a moderator.
package struct Thing: Sendable {
    package let kind: any ThingKind.Type
    package let id: Int64

    package init(_ kind: any ThingKind.Type, _ id: Int64) {
        self.kind = kind
        self.id = id
    }

    package init<Kind: ThingKind>(_ id: ID<Kind>) { self.init(Kind.self, id.rawValue) }

    /// Its id, where it is of this kind.
    package func id<Kind: ThingKind>(as _: Kind.Type) -> ID<Kind>? { kind == Kind.self ? ID(rawValue: id) : nil }

    /// The word for its kind.
    package var name: String { kind.facts.name }

    /// That it is not there, or not for the one who asked.
    package var missing: Failure { .notFound("\(name) \(id)") }
}

extension Thing: Hashable {
    package static func == (one: Thing, other: Thing) -> Bool { one.kind == other.kind && one.id == other.id }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(kind))
        hasher.combine(id)
    }
}

/// The type whose values are things of one kind: `Boards.Post` for posts. Its domain registers it in `Domain.things`.
package protocol ThingKind: SendableMetatype {
    static var facts: ThingFacts { get }

    /// SQL: whether the viewer may know that the thing in scope is there. Never null.
    static func isSeen<S: ForViewer>() -> SQL<S>
}

/// What all domains may ask of a kind of things. The SQL calls a row by the name of its table.
package struct ThingFacts: Sendable {
    /// The word for it in replies, events and tables.
    package let name: String
    let table: Fragment
    /// Joins what the other facts read.
    var joins: Fragment = ""
    /// The account whose it is; null for what is nobody's own.
    var author: Fragment = "null::bigint"
    /// How a card calls it. Never null.
    var title: Fragment = "''"
    /// What one transaction of an act on many takes together: those of one thread, or one author.
    var beside: Fragment?
    /// The group on whose board it stands; null for none.
    var group = noGroup
    /// What it says, as JSON by the names of the API: a report keeps a copy. `nil`: it cannot be reported.
    var said: Fragment?
    /// What it stands in together with others that a report of it may bring along; `nil`: a report has it alone.
    var context: Fragment?
    /// A reader has one at most, which goes by the reader's name: `picture:ann`.
    var isByReader = false
    /// Whether a moderator took it out of everybody's sight.
    var isHidden: Fragment = "false"
    /// Whether it was taken back and only its place is left; `nil` where its row goes with it.
    var isDeleted: Fragment?
    /// One can be merged into another: then its row names that in `merged_into`.
    var isMerged = false
    /// Its row is deleted when it is taken back. Who sees one in a transaction holds it against that.
    var isHeld = false

    package var isReportable: Bool { said != nil }
    /// Whether some stand on boards of groups.
    var isInGroups: Bool { group.text != Self.noGroup.text }
    static let noGroup: Fragment = "null::bigint"

    /// Whether it is neither hidden nor taken back.
    var stands: Fragment { isDeleted.map { "not (\(isHidden) or \($0))" } ?? "not \(isHidden)" }
    /// Whether it stands for the viewer: what is hidden does for its author.
    func standsForViewer<S: ForViewer>() -> SQL<S> {
        "(not \(isHidden) or \(author) = \(.viewer))\(isDeleted.map { " and not \($0)" as Fragment } ?? "")"
    }
    /// Holds its row in the transaction that sees it.
    var hold: Fragment { isHeld ? "\nfor key share of \(table)" : "" }

    /// Itself, or what it was merged into.
    func resolved<S>(_ id: SQL<S>) -> SQL<S> {
        isMerged ? "(select coalesce(asked.merged_into, asked.id) from \(table) asked where asked.id = \(id))" : id
    }
}

extension Thing {
    /// What is known of a thing that the viewer sees.
    package struct Sight: Hashable, Sendable {
        /// Itself, or what it was merged into.
        package let thing: Thing
        package let author: ID<Accounts.Account>?
        package let title: String
    }

    /// What the viewer may know of it now. `nil` where it is not there, hidden, or not for them.
    package func seen(by viewer: Viewer, in queryable: some Queryable) async throws -> Sight? {
        try await Self.seen(kind, id, by: viewer, in: queryable)
    }

    private static func seen<Kind: ThingKind>(
        _: Kind.Type, _ id: Int64, by viewer: Viewer, in queryable: some Queryable
    ) async throws -> Sight? {
        try await queryable.first(SeeThing<Kind>(viewer: viewer, id: ID(rawValue: id)))
    }
}

/// One thing, where the viewer may know of it.
private struct SeeThing<Kind: ThingKind>: Statement, ForViewer {
    static var name: String { "things.see_\(Kind.facts.name)" }

    static var sql: SQL<Self> {
        let (facts, table) = (Kind.facts, Kind.facts.table)
        return """
            select \(table).id, \(facts.author) as author, \(facts.title) as title
              from \(table)
              \(facts.joins)
             where \(table).id = \(facts.resolved("\(\.id)"))
               and \(facts.stands)
               and \(Kind.isSeen())\(facts.hold)
            """
    }

    let viewer: Viewer, id: ID<Kind>

    static func decode(_ columns: inout Columns) throws -> Thing.Sight {
        let id: ID<Kind> = try columns("id")
        return Thing.Sight(thing: Thing(id), author: try columns("author"), title: try columns("title"))
    }
}

extension ThingKind {
    /// What a look at one of them is sent as.
    package static var sightStatement: any Statement.Type { SeeThing<Self>.self }
}
