import Community
import EventLog
import Foundation
import Jobs
import Postgres
import TestSupport

// What is told and pushed.
extension ModelRun {
    /// Does the jobs that wait, moves all that happened into the log, and asks who gets what of it now.
    mutating func deliver(on stage: inout Stage) async throws {
        let place = random.number(in: 0..<stage.servers.count)
        let server = stage.servers[place]
        state.tellAll()
        let drained = try await stage.workers[place].drain()
        if let failure = drained.failures.first { throw failure }
        try await stage.relays[place].moveAll()
        let events = try await EventLog.Reader(server.services.database).events(after: stage.seq, limit: 500)
        stage.seq = events.last?.seq ?? stage.seq
        let readers = names.readers.map(\.account.rawValue)
        let audience = Feed.Audience(server.services.database)
        let verdicts = try await audience.verdicts(on: events, for: readers)
        let shown = try await audience.shown(events, atHomesOf: readers)
        // A home is looked at where somebody's doings are told.
        var homes: [Set<Topic>] = readers.map { _ in [] }
        if events.contains(where: { $0.places.contains { $0.topic.name.hasPrefix("reader:") } }) {
            for (place, reader) in readers.enumerated() {
                homes[place] = Set(try await audience.homeTopics(of: reader))
            }
        }
        var found: [String] = []
        for (number, event) in events.enumerated() {
            let isHome = readers.indices.filter { place in
                event.places.contains { homes[place].contains($0.topic) } && shown[number].contains(readers[place])
                    && verdicts[number].seen.contains(readers[place])
            }
            found.append(try line(of: event, verdicts[number], homes: isHome))
        }
        let expected = state.told.map { line(of: $0) }
        state.told = []
        stage.deliveries += events.count * readers.count
        var left = expected
        // Of what one job tells several readers no order is promised.
        for line in found {
            guard let place = left.firstIndex(of: line) else {
                wrongs.append("pushed: \(line)")
                continue
            }
            left.remove(at: place)
        }
        wrongs += left.map { "not pushed: \($0)" }
    }

    private func line(of told: SmallCommunity.Told) -> String {
        let forms = state.readers.map { "r\($0) \(state.form(of: told, for: $0))" }.joined(separator: ", ")
        let homes = state.readers.filter { state.isHome(told, of: $0) }.map { "r\($0)" }
        return Self.line(told.kind, told.topics, told.owner.map { "r\($0)" }, told.data, forms, homes)
    }

    private func line(of event: LoggedEvent, _ verdict: Hearing, homes: [Int]) throws -> String {
        let placeholder = try verdict.placeholder.map { try ModelWitness.placeholder(in: $0, names) }
        let forms = names.readers.enumerated().map { number, reader in
            let id = reader.account.rawValue
            let form =
                verdict.seen.contains(id)
                ? "event" : verdict.gated.contains(id) ? placeholder ?? "gated" : "skip"
            return "r\(number) \(form)"
        }.joined(separator: ", ")
        let topics = event.places.map { names.topic($0.topic.name) }
        return Self.line(
            event.kind, topics, event.owner.map { names.name(of: $0) }, try data(of: event), forms,
            homes.map { "r\($0)" })
    }

    private static func line(
        _ kind: String, _ topics: [String], _ owner: String?, _ data: String, _ forms: String, _ homes: [String]
    ) -> String {
        "\(kind) on \(topics.sorted().joined(separator: ", ")) by \(owner ?? "nobody"): \(data) → \(forms); at home of "
            + homes.joined(separator: " ")
    }

    // MARK: What an event says

    /// What the data of the events here may have.
    private struct Said: Decodable {
        struct Named: Decodable {
            let id: String
            let kind: String?
            let actorCount: Int?
        }

        let post, message, request, reader, notification, book: Named?
        let shelf, from: String?
        let readers, kinds, ids: [String]?
        let unreadCount, postCount, readCount, seq: Int?
    }

    private func data(of event: LoggedEvent) throws -> String {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        let said = try decoder.decode(Said.self, from: Data(event.data.bytes))
        func name(_ named: Said.Named?) -> String { names.name(of: named?.id) }
        switch event.kind {
        case "friend.requested", "friend.accepted": return "\(name(said.request)) \(name(said.reader))"
        case "friendship.changed", "block.changed", "mute.changed":
            return (said.readers ?? []).map { names.name(of: $0) }.sorted().joined(separator: " ")
        case "visibility.changed": return (said.kinds ?? []).joined(separator: " ")
        case "shelf.moved":
            return "\(name(said.book)) \(said.from ?? "nowhere") \(said.shelf ?? "-") \(said.readCount ?? -1)"
        case "shelf.removed": return name(said.book)
        case "thread.opened", "post.created", "post.edited", "post.reacted", "post.deleted": return name(said.post)
        case "message.sent", "message.edited", "message.deleted": return name(said.message)
        case "conversation.read": return "\(said.seq ?? -1)"
        case "notification.new":
            let notification = said.notification
            return "\(notification?.kind ?? "-") \(notification?.actorCount ?? -1) \(said.unreadCount ?? -1)"
        case "posts.unlocked":
            let posts = (said.ids ?? []).map { names.name(of: $0) }.joined(separator: " ")
            return "\(name(said.book)) \(said.postCount ?? -1) \(posts)"
        default: return event.data.text
        }
    }
}
