import EventLog
import JSONWriting
import Postgres

extension Moderation {
    /// The kinds of its events.
    enum EventKind: String, Sendable, CaseIterable {
        case opened = "report.opened"
        case changed = "report.changed"
    }

    /// A case as its events tell it.
    struct News: Hashable, Sendable {
        let id: ID<Case>
        let state: Outcome
        let category: Category
        let priority: Int
        let version: Int
    }

    /// What became of a case, version 1, `{"case": {"id", "state", "category", "priority", "version"}}` on the topic `moderation`: who may
    /// follow that is asked (`Statements.Moderates`), and nothing of the event is anybody's own.
    struct Event: Sendable {
        let about: News
        let kind: EventKind

        /// Writes the event into the outbox, as part of `transaction`.
        func append(in transaction: Transaction, services: Services) throws {
            let event = NewEvent(
                id: try services.ids.make(Event.self).rawValue, kind: kind.rawValue, version: 1, topics: [.moderation],
                at: services.clock.now(), data: try JSON.object { $0.put("case", about) })
            try transaction.atCommit { batch in batch.run(EventLog.Statements.Append(event: event)) }
        }
    }
}

extension Moderation.News: JSONForm {
    func put(into object: JSONObject) {
        object.put("id", id)
        object.put("state", state.rawValue)
        object.put("category", category.rawValue)
        object.put("priority", priority)
        object.put("version", version)
    }
}

extension Moderation.News: RowReadable {
    init(_ columns: inout Columns) throws {
        self.init(
            id: try columns("id"), state: try columns("state"), category: try columns("category"),
            priority: try columns("priority"), version: try columns("version"))
    }

    init(_ about: Moderation.Case) {
        self.init(
            id: about.id, state: about.state, category: about.category, priority: about.priority,
            version: about.version)
    }
}
