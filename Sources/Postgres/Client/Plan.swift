import CLibpq
import Synchronization

/// What a pool knows about one kind of statement: its text and the name and parameter types under which connections prepare it.
final class Plan: Sendable {
    /// Dense in the pool, from 0: connections keep one flag for each.
    let index: Int
    /// `Statement.name`, for errors and logs.
    let label: String
    let types: [PostgresType]
    /// The name that the server knows: the label, made unique by the index and cut to what the server keeps of a name.
    let preparedLabel: String
    /// The same, NUL-terminated.
    let preparedName: [CChar]
    /// NUL-terminated.
    let sql: [CChar]

    init(index: Int, label: String, sql: String, types: [PostgresType]) {
        self.index = index
        self.label = label
        self.types = types
        preparedLabel = String(decoding: "\(index).\(label)".utf8.prefix(62), as: UTF8.self)
        preparedName = Array(preparedLabel.utf8CString)
        self.sql = Array(sql.utf8CString)
    }
}

/// How a pool sends statements of one type: for each of its texts a plan, and what is bound to it.
private final class Shape<S: Statement>: Sendable {
    let texts: [(plan: Plan, parameters: [SQL<S>.Parameter])]

    /// `index`: that of the first plan.
    init(index: Int) {
        texts = zip(S.variants, S.prepared).enumerated().map { place, text in
            let plan = Plan(
                index: index + place, label: text.1.name, sql: text.1.text, types: text.1.parameters.map(\.type))
            return (plan, text.0.sql.parameters)
        }
    }
}

/// The plans of one pool, made as statements are first run.
final class Plans: Sendable {
    private struct State {
        /// Each is the `Shape` of the statement of that type.
        var shapes: [ObjectIdentifier: any AnyObject & Sendable] = [:]
        var count = 0
    }

    private let state = Mutex(State())

    func bind<S: Statement>(_ statement: S) -> BoundStatement {
        let text = shape(of: S.self).texts[statement.choice]
        var parameters = Parameters()
        for parameter in text.parameters { parameter.append(statement, &parameters) }
        return BoundStatement(plan: text.plan, parameters: parameters)
    }

    private func shape<S: Statement>(of statement: S.Type) -> Shape<S> {
        state.withLock { state in
            let key = ObjectIdentifier(statement)
            if let shape = state.shapes[key] { return unsafeDowncast(shape, to: Shape<S>.self) }
            let shape = Shape<S>(index: state.count)
            state.count += shape.texts.count
            state.shapes[key] = shape
            return shape
        }
    }
}
