import Postgres

// Statements that differ only in their text: what they are told is written once here.

extension Catalog {
    /// About one work, `$1`.
    protocol OfWork: Statement {
        var work: ID<Work> { get }
    }

    /// About some works at once: `$1` is their identifiers.
    protocol OfWorks: Statement {
        var works: [ID<Work>] { get }
    }

    /// Takes what hangs on one entity, `$1`, over to another, `$2`.
    protocol Moving: Statement {
        associatedtype Entity
        var from: ID<Entity> { get }
        var into: ID<Entity> { get }
    }
}

extension Catalog.OfWork {
    func bind(to parameters: inout Parameters) { parameters.append(work) }
}

extension Catalog.OfWorks {
    func bind(to parameters: inout Parameters) { parameters.append(works) }
}

extension Catalog.Moving {
    func bind(to parameters: inout Parameters) {
        parameters.append(from)
        parameters.append(into)
    }
}
