import EventLog
import Postgres

extension Feed {
    /// Who may see an event, found out when it is delivered, not when it was written: what has been removed, hidden or blocked since is not
    /// delivered, live or in a replay.
    package struct Audience: EventAudience, HomeTopics {
        private let database: Database

        package init(_ database: Database) { self.database = database }

        package func visible(_ events: [LoggedEvent], to viewers: [Int64]) async throws -> [Set<Int64>] {
            let rules = events.map(Rule.init)
            var answers = rules.map { $0.candidates.map { $0.intersection(viewers) } ?? Set(viewers) }
            let asked = rules.indices.flatMap { place in rules[place].questions.map { (place: place, question: $0) } }
            guard !asked.isEmpty, !viewers.isEmpty else { return answers }
            var allowed = asked.map { _ in Set<Int64>() }
            let seen = try await database.all(Statements.Visible(questions: asked.map(\.question), viewers: viewers))
            for (number, viewer) in seen { allowed[number].insert(viewer) }
            for (number, (place, _)) in asked.enumerated() { answers[place].formIntersection(allowed[number]) }
            return answers
        }

        package func homeTopics(of reader: Int64) async throws -> [Topic] {
            try await database.all(Statements.HomeReaders(reader: reader)).map(Topic.reader)
        }
    }

    /// How the audience of an event is found: those of `candidates` of whom every question is answered with yes.
    struct Rule: Hashable {
        /// `nil`: everybody who follows the event's topics.
        let candidates: Set<Int64>?
        let questions: [Question]

        /// May the viewer see this now?
        struct Question: Hashable {
            let subject: Subject
            /// Whose it is; read for `.level` only.
            let owner: Int64
            /// The id of a review, of an entry on a shelf or of a mark, or the level.
            let value: Int64
        }

        private static let nobody = Rule(candidates: [], questions: [])

        init(_ event: LoggedEvent) {
            let inboxes = Set(event.places.compactMap(\.topic.inboxOwner))
            if event.places.contains(where: { $0.topic == .control }) {
                self = .nobody
            } else if let kind = event.subjectKind {
                guard let subject = Subject(rawValue: kind), let owner = event.owner, let value = event.subject else {
                    self = .nobody
                    return
                }
                let question = Question(subject: subject, owner: owner, value: value)
                self.init(inboxes, asking: [question], about: owner)
            } else if let owner = event.owner, inboxes.isEmpty {
                self.init(candidates: [owner], questions: [])
            } else {
                self.init(inboxes, asking: [], about: event.owner)
            }
        }

        private init(candidates: Set<Int64>?, questions: [Question]) {
            self.candidates = candidates
            self.questions = questions
        }

        /// What stands in an inbox is for its reader alone, and only while that reader may see whose doing it is.
        private init(_ inboxes: Set<Int64>, asking questions: [Question], about owner: Int64?) {
            guard !inboxes.isEmpty else {
                self.init(candidates: nil, questions: questions)
                return
            }
            let sees = owner.map {
                Question(subject: .level, owner: $0, value: Int64(Visibility.members.rawValue))
            }
            self.init(candidates: inboxes, questions: questions + (sees.map { [$0] } ?? []))
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
