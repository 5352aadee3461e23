import Postgres

/// Two things that turn out to be one: what hangs on the first goes over to the second.
package struct Merge<Entity>: Sendable {
    let from: ID<Entity>
    let into: ID<Entity>
    let at: Timestamp
}

/// One step of a merge: a statement that gives no rows.
package struct MergeStep<Entity>: Sendable {
    /// `a-z 0-9 _`, the domain first; unique among the steps of an entity.
    let name: String
    let sql: SQL<Merge<Entity>>

    init(_ name: StaticString, _ sql: SQL<Merge<Entity>>) {
        self.name = "\(name)"
        self.sql = sql
    }
}

extension Merge where Entity: Mergeable {
    /// One after the other, in one round trip.
    func run(_ steps: [MergeStep<Entity>], in transaction: Transaction) async throws {
        if steps.isEmpty { return }
        let names = Entity.steps.map(\.name)
        try await transaction.batch { batch in
            for step in steps {
                guard let choice = names.firstIndex(of: step.name) else {
                    preconditionFailure("\(step.name) is a step of no domain")
                }
                batch.run(MergeStatement(merge: self, choice: choice))
            }
        }
    }
}

/// What merges: works, editions, authors.
package protocol Mergeable: SendableMetatype {
    static var noun: String { get }
    /// Of all domains.
    static var steps: [MergeStep<Self>] { get }
}

struct MergeStatement<Entity: Mergeable>: Statement {
    static var name: String { "merge.\(Entity.noun)" }
    static var variants: [(label: String, sql: SQL<Self>)] {
        Entity.steps.map { ($0.name, $0.sql.of(\.merge)) }
    }
    static var sql: SQL<Self> { variants[0].sql }

    let merge: Merge<Entity>
    let choice: Int
}

extension Catalog.Work: Mergeable {
    package static let noun = "work"
    package static let steps = Community.domains.flatMap { $0.workMerge }
}

extension Catalog.Edition: Mergeable {
    package static let noun = "edition"
    package static let steps = Community.domains.flatMap { $0.editionMerge }
}

extension Catalog.Author: Mergeable {
    package static let noun = "author"
    package static let steps = Community.domains.flatMap { $0.authorMerge }
}
