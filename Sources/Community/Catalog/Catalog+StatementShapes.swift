import Postgres

// Statements that differ only in their text: what they are told is written once here.

extension Catalog {
    /// About one work, `$1`.
    protocol OfWork: PositionalStatement {
        var work: ID<Work> { get }
    }

    /// About some works at once: `$1` is their identifiers.
    protocol OfWorks: PositionalStatement {
        var works: [ID<Work>] { get }
    }

    /// Takes what hangs on one entity, `$1`, over to another, `$2`.
    protocol Moving: PositionalStatement {
        associatedtype Entity
        var from: ID<Entity> { get }
        var into: ID<Entity> { get }
    }

    /// The same at a time, `$3`.
    protocol MovingAt: Moving {
        var at: Timestamp { get }
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

extension Catalog.MovingAt {
    func bind(to parameters: inout Parameters) {
        parameters.append(from)
        parameters.append(into)
        parameters.append(at)
    }
}
