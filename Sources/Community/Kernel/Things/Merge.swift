import Postgres

/// Two things that turn out to be one: what hangs on the first goes over to the second.
package struct Merge<Entity>: Sendable {
    let from: ID<Entity>
    let into: ID<Entity>
    let at: Timestamp
}

/// One step of a merge: a statement that gives no rows.
package struct MergeStep<Entity>: Sendable {
    /// `a-z 0-9 _`, unique among the steps of a domain.
    let name: String
    let sql: SQL<Merge<Entity>>

    package init(_ name: StaticString, _ sql: SQL<Merge<Entity>>) {
        self.name = "\(name)"
        self.sql = sql
    }
}

/// What merges: works, editions, authors.
package protocol Mergeable: SendableMetatype {
    static var noun: String { get }
    static func steps(of owner: any Domain.Type) -> [MergeStep<Self>]
}

extension Merge where Entity: Mergeable {
    /// Some steps of a domain, one after the other, in one round trip.
    package func run(
        _ steps: [MergeStep<Entity>], of owner: any Domain.Type, in transaction: Transaction
    ) async throws {
        if steps.isEmpty { return }
        try await transaction.batch { add(steps, of: owner, to: &$0) }
    }

    /// All steps of all domains, in one round trip.
    func run(in transaction: Transaction) async throws {
        try await transaction.batch { batch in
            for domain in Community.domains { add(Entity.steps(of: domain), of: domain, to: &batch) }
        }
    }

    private func add<Owner: Domain>(_ steps: [MergeStep<Entity>], of owner: Owner.Type, to batch: inout Batch) {
        let names = Entity.steps(of: owner).map(\.name)
        for step in steps {
            guard let choice = names.firstIndex(of: step.name) else {
                preconditionFailure("\(step.name) is no step of \(owner)")
            }
            batch.run(MergeStatement<Owner, Entity>(merge: self, choice: choice))
        }
    }
}

private struct MergeStatement<Owner: Domain, Entity: Mergeable>: Statement {
    static var name: String { "\(Owner.self).merge_\(Entity.noun)".lowercased() }
    static var variants: [(label: String, sql: SQL<Self>)] {
        Entity.steps(of: Owner.self).map { ($0.name, $0.sql.of(\.merge)) }
    }
    static var sql: SQL<Self> { variants[0].sql }

    let merge: Merge<Entity>
    /// A place among the steps of `Owner`.
    let choice: Int
}

extension Domain {
    /// What its steps are sent as.
    package static var mergeStatements: [any Statement.Type] {
        mergeStatement(of: workMerge) + mergeStatement(of: editionMerge) + mergeStatement(of: authorMerge)
    }

    private static func mergeStatement<Entity: Mergeable>(of steps: [MergeStep<Entity>]) -> [any Statement.Type] {
        steps.isEmpty ? [] : [MergeStatement<Self, Entity>.self]
    }
}

extension Catalog.Work: Mergeable {
    package static let noun = "work"
    package static func steps(of owner: any Domain.Type) -> [MergeStep<Self>] { owner.workMerge }
}

extension Catalog.Edition: Mergeable {
    package static let noun = "edition"
    package static func steps(of owner: any Domain.Type) -> [MergeStep<Self>] { owner.editionMerge }
}

extension Catalog.Author: Mergeable {
    package static let noun = "author"
    package static func steps(of owner: any Domain.Type) -> [MergeStep<Self>] { owner.authorMerge }
}
