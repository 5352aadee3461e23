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

    var asSent: SentStatement {
        SentStatement(name: label, sql: String(decoding: sql.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self))
    }
}

/// How a pool sends statements of one type: for each of its texts a plan, and what is bound to it.
private final class Shape<S: Statement>: Sendable {
    final class Text: Sendable {
        let plan: Plan
        let parameters: [SQL<S>.Parameter]

        init(index: Int, _ variant: (label: String, sql: SQL<S>)) {
            let text = PreparedText(of: S.self, variant)
            plan = Plan(index: index, label: text.name, sql: text.text, types: text.parameters.map(\.type))
            parameters = variant.sql.parameters
        }
    }

    let texts: [Text]

    init(_ texts: [Text]) { self.texts = texts }
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
        var parameters = Parameters(count: text.parameters.count)
        for parameter in text.parameters { parameter.append(statement, &parameters) }
        return BoundStatement(plan: text.plan, parameters: parameters)
    }

    private func shape<S: Statement>(of statement: S.Type) -> Shape<S> {
        let key = ObjectIdentifier(statement)
        let known = state.withLock { $0.shapes[key] }
        if let known { return unsafeDowncast(known, to: Shape<S>.self) }
        // Others bind their statements while these texts are written.
        let variants = S.variants
        let first = state.withLock { state in
            defer { state.count += variants.count }
            return state.count
        }
        let made = Shape<S>(variants.enumerated().map { Shape<S>.Text(index: first + $0.offset, $0.element) })
        // Two may have made it at once: the first stays, and the other's indices stay unused.
        let kept = state.withLock { state in
            if let earlier = state.shapes[key] { return earlier }
            state.shapes[key] = made
            return made
        }
        return unsafeDowncast(kept, to: Shape<S>.self)
    }
}
