import EventLog
import Postgres

extension Feed {
    /// Who may see an event, found out when it is delivered, not when it was written: what has been removed, hidden or blocked since is not
    /// delivered, live or in a replay.
    package struct Audience: EventAudience, HomeTopics {
        private let database: Database

        package init(_ database: Database) { self.database = database }

        package func visible(_ events: [LoggedEvent], to viewers: [Int64]) async throws -> [Set<Int64>] {
            var answers = events.map { Rule($0).audience(among: viewers) }
            let asked = events.indices.filter { Rule(events[$0]) == .subject }
            guard !asked.isEmpty, !viewers.isEmpty else { return answers }
            let seen = try await database.all(Statements.Visible(events: asked.map { events[$0] }, viewers: viewers))
            for (place, viewer) in seen {
                answers[asked[place]].insert(viewer)
            }
            return answers
        }

        package func homeTopics(of reader: Int64) async throws -> [Topic] {
            try await database.all(Statements.HomeReaders(reader: reader)).map(Topic.reader)
        }
    }

    /// How the audience of an event is found.
    enum Rule: Hashable {
        /// Everybody who follows its topics.
        case everybody
        /// These accounts alone.
        case only(Set<Int64>)
        /// Whoever may see its subject.
        case subject
        case nobody

        init(_ event: LoggedEvent) {
            let inboxes = event.places.compactMap(\.topic.inboxOwner)
            if event.places.contains(where: { $0.topic == .control }) {
                self = .nobody
            } else if !inboxes.isEmpty {
                self = .only(Set(inboxes))
            } else if let kind = event.subjectKind {
                self = Subject(rawValue: kind) != nil && event.owner != nil && event.subject != nil ? .subject : .nobody
            } else if let owner = event.owner {
                self = .only([owner])
            } else {
                self = .everybody
            }
        }

        /// Those of `viewers` who are known without asking the database.
        func audience(among viewers: [Int64]) -> Set<Int64> {
            switch self {
            case .everybody: Set(viewers)
            case .only(let owners): owners.intersection(viewers)
            case .subject, .nobody: []
            }
        }
    }
}

extension Topic {
    /// The account whose inbox this is; `nil` for any other topic.
    fileprivate var inboxOwner: Int64? {
        guard name.hasPrefix("inbox:") else { return nil }
        return Int64(name.dropFirst("inbox:".count))
    }
}

extension Feed.Statements {
    /// Pairs of an event's place in the list and a viewer who may see its subject now.
    struct Visible: Statement {
        static let name = "feed.visible"
        static let sql = """
            select event.place - 1, viewer.id
              from unnest($1::text[], $2::bigint[], $3::bigint[]) with ordinality event (kind, owner, subject, place)
             cross join unnest($4::bigint[]) viewer (id)
              left join review on event.kind = 'review' and review.id = event.subject
             where case event.kind
                   when 'review' then review.id is not null and
                        \(Visibility.predicate(viewer: "viewer.id", owner: "review.reader_id", level: "review.visibility"))
                   when 'level' then
                        \(Visibility.predicate(viewer: "viewer.id", owner: "event.owner", level: "event.subject"))
                   end
            """
        let events: [LoggedEvent]
        let viewers: [Int64]

        func bind(to parameters: inout Parameters) {
            parameters.append(events.map { $0.subjectKind ?? "" })
            parameters.append(events.map { $0.owner ?? 0 })
            parameters.append(events.map { $0.subject ?? 0 })
            parameters.append(viewers)
        }

        static func decode(_ row: borrowing Row) throws -> (place: Int, viewer: Int64) { (try row[0], try row[1]) }
    }

    /// Whose acts make up a reader's home: the friends.
    struct HomeReaders: Statement {
        static let name = "feed.home_readers"
        static let sql = "select friend_id from friendship where reader_id = $1"
        let reader: Int64

        func bind(to parameters: inout Parameters) { parameters.append(reader) }

        static func decode(_ row: borrowing Row) throws -> Int64 { try row[0] }
    }
}
