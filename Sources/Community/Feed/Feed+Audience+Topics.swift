import EventLog
import Postgres

extension Feed.Audience: TopicGate {
    package func mayFollow(_ topic: Topic, reader: Int64) async throws -> Bool {
        guard let (kind, id) = topic.parts else { return false }
        switch kind {
        case "book": return try await database.first(Feed.Statements.FindBook(work: id)) != nil
        case "thread":
            return try await database.first(Feed.Statements.FindThread(thread: id, viewer: reader)) != nil
        case "conversation":
            let asked = Messages.Statements.IsOpen(viewer: ID(rawValue: reader), conversation: ID(rawValue: id))
            return try await database.first(asked) != nil
        case "group":
            let asked = Groups.Statements.IsOpenTo(viewer: .reader(ID(rawValue: reader)), group: ID(rawValue: id))
            return try await database.first(asked) != nil
        default: return false
        }
    }
}

extension Topic {
    /// `book:42` as `book` and 42; `nil` for a topic of another form.
    fileprivate var parts: (kind: Substring, id: Int64)? {
        guard let colon = name.firstIndex(of: ":"), let id = Int64(name[colon...].dropFirst()) else { return nil }
        return (name[..<colon], id)
    }
}
