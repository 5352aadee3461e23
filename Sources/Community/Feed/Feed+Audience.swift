import EventLog
import Metrics
import Postgres

extension Feed {
    /// Who may see an event, found out when it is delivered, not when it was written: what has been removed, edited,
    /// hidden or blocked since is not delivered, live or in a replay; and of a post that lies ahead of a reader only
    /// where it stands.
    package struct Audience: EventAudience, HomeTopics {
        /// Questions and viewers in one statement, unless one question has more by itself. Blocks are not counted.
        private static let pairs = 20_000

        let database: Database
        private let subjects: Subjects
        /// Up to so many listeners, each is asked about; beyond, it is asked by exception. Tests set 0 and `.max`.
        package var mostAskedSingly = 8
        /// Pairs of a question and a viewer. A stranger counts as one, with all the blocks that are looked at.
        private let pairsAsked = Counter(label: "commonplace_stream_pairs_asked_total")

        package init(_ database: Database, of domains: [any Domain.Type] = Community.domains) {
            self.database = database
            subjects = Subjects(of: domains)
        }

        /// With few listeners, asks about each. With many, first asks about a stranger, and about everybody with a block
        /// between them and the people concerned: where the stranger gets the event, only these can be exceptions.
        /// Where not, asks about each listener.
        package func verdicts(on offers: [Offered]) async throws -> [Verdict] {
            var answers: [Exceptions] = []
            var asked: [Asked] = []
            for (place, offer) in offers.enumerated() {
                let rule = Rule(offer.event, among: subjects)
                let viewers = rule.candidates.map { offer.viewers.filter($0.contains) } ?? offer.viewers
                answers.append(
                    Exceptions(
                        hidden: viewers.count == offer.viewers.count ? [] : Set(offer.viewers).subtracting(viewers)))
                guard !viewers.isEmpty else { continue }
                // Inboxes are asked about mutes too, which are no blocks: what a stranger gets says nothing of them.
                let isOpen = rule.candidates == nil && viewers.count > mostAskedSingly
                asked += rule.questions.map {
                    Asked(place: place, question: $0, viewers: viewers, isOpen: isOpen)
                }
            }
            var open: [Asked] = []
            for (one, found) in zip(asked, try await exceptions(to: asked)) {
                if !one.isOpen || found.isOpen { answers[one.place].add(found) } else { open.append(one) }
            }
            let closed = open.map { one in
                Asked(
                    place: one.place, question: one.question,
                    viewers: offers[one.place].viewers.filter { !answers[one.place].hidden.contains($0) }, isOpen: false
                )
            }
            for (one, found) in zip(closed, try await exceptions(to: closed)) { answers[one.place].add(found) }
            return answers.map(\.verdict)
        }

        /// A question about the event at `place`, asked of `viewers`; where it is open, of a stranger to all and of those of them with
        /// a block.
        private struct Asked {
            let place: Int
            let question: EventQuestion
            let viewers: [Int64]
            let isOpen: Bool
        }

        /// For each, in their order: the domains are asked in as few statements as their sizes allow.
        private func exceptions(to asked: [Asked]) async throws -> [Exceptions] {
            pairsAsked.increment(by: asked.reduce(0) { $0 + ($1.isOpen ? 1 : $1.viewers.count) })
            var answers = asked.map { _ in Exceptions() }
            let byDomain = Dictionary(grouping: asked.indices) { subjects.answering[asked[$0].question.subject] }
            for (domain, places) in byDomain {
                guard let domain = domain.map({ subjects.domains[$0] }) else { continue }
                var rest = places[...]
                while !rest.isEmpty {
                    var questions = EventQuestions()
                    let first = rest.startIndex
                    while let place = rest.first,
                        questions.pairs == 0 || questions.pairs + asked[place].viewers.count < Self.pairs
                    {
                        questions.ask(asked[place].question, of: asked[place].viewers, isOpen: asked[place].isOpen)
                        rest.removeFirst()
                    }
                    for (place, found) in zip(
                        places[first...], try await domain.exceptions(to: questions, in: database))
                    {
                        answers[place] = found
                    }
                }
            }
            return answers
        }

        package func homeTopics(of reader: Int64) async throws -> [Topic] {
            let (readers, books, groups) = try await database.pipeline(
                Statements.HomeReaders(reader: reader), Statements.HomeBooks(reader: reader),
                Statements.HomeGroups(reader: reader))
            return readers.map(Topic.reader) + books.map(Topic.book) + groups.map(Topic.group)
        }
    }

    /// What can be asked about events, and who answers.
    struct Subjects: Sendable {
        let domains: [any Domain.Type]
        private let named: [String: EventSubject]
        /// Places in `domains`, by the name of a subject.
        let answering: [String: Int]
        let boards: [(topics: String, subject: EventSubject)]

        init(of domains: [any Domain.Type]) {
            self.domains = domains
            let all = domains.enumerated().flatMap { place, domain in domain.eventSubjects.map { (place, $0) } }
            named = Dictionary(uniqueKeysWithValues: all.map { ($0.1.name, $0.1) })
            answering = Dictionary(uniqueKeysWithValues: all.map { ($0.1.name, $0.0) })
            boards = all.compactMap { subject in subject.1.boardTopics.map { ($0, subject.1) } }
        }

        subscript(name: String) -> EventSubject? { named[name] }
    }

    /// How the audience of an event is found: those of `candidates` for whom every question is answered with yes.
    struct Rule: Hashable {
        /// `nil`: everybody who follows the event's topics.
        let candidates: Set<Int64>?
        let questions: [EventQuestion]

        private static let nobody = Rule(candidates: [], questions: [])

        init(_ event: LoggedEvent, among subjects: Subjects) {
            let inboxes = Set(event.places.compactMap(\.topic.inboxOwner))
            if event.places.contains(where: { $0.topic == .control }) {
                self = .nobody
            } else if let kind = event.subjectKind {
                guard let subject = subjects[kind], let owner = event.owner, let value = event.subject else {
                    self = .nobody
                    return
                }
                let question = EventQuestion(subject: subject.name, owner: owner, value: value)
                guard !subject.namesReaders else {
                    self.init(candidates: nil, questions: [question])
                    return
                }
                let boards = kind == EventSubject.level.name ? event.boards(among: subjects) : []
                self.init(inboxes, asking: [question] + boards, about: owner)
            } else if let owner = event.owner, inboxes.isEmpty {
                self.init(candidates: [owner], questions: [])
            } else {
                self.init(inboxes, asking: event.boards(among: subjects), about: event.owner)
            }
        }

        private init(candidates: Set<Int64>?, questions: [EventQuestion]) {
            self.candidates = candidates
            self.questions = questions
        }

        /// What stands in an inbox is for its reader alone, and only while that reader may see whose doing it is and
        /// has not muted them.
        private init(_ inboxes: Set<Int64>, asking questions: [EventQuestion], about owner: Int64?) {
            guard !inboxes.isEmpty else {
                self.init(candidates: nil, questions: questions)
                return
            }
            let hears = owner.map {
                [
                    EventQuestion(
                        subject: EventSubject.level.name, owner: $0, value: Int64(Visibility.members.rawValue)),
                    EventQuestion(subject: EventSubject.heard.name, owner: $0, value: 0),
                ]
            }
            self.init(candidates: inboxes, questions: questions + (hears ?? []))
        }
    }
}

extension LoggedEvent {
    /// Asks whether the viewer reads the board that it happened on; empty where that was none. A reader who was removed
    /// from a private group since is told nothing more of it, on any topic.
    fileprivate func boards(among subjects: Feed.Subjects) -> [EventQuestion] {
        for (prefix, subject) in subjects.boards {
            let named = places.lazy.map(\.topic.name).filter { $0.hasPrefix(prefix) }
            if let id = named.compactMap({ Int64($0.dropFirst(prefix.count)) }).first {
                return [EventQuestion(subject: subject.name, owner: 0, value: id)]
            }
        }
        return []
    }
}

extension Topic {
    /// The account whose inbox this is; `nil` for any other topic.
    fileprivate var inboxOwner: Int64? {
        guard name.hasPrefix("inbox:") else { return nil }
        return Int64(name.dropFirst("inbox:".count))
    }
}

extension Feed.Audience: TopicGate {
    package func mayFollow(_ topic: Topic, reader: Int64) async throws -> Bool {
        guard let (kind, id) = topic.parts else { return false }
        guard let rule = subjects.domains.lazy.compactMap({ $0.topics[String(kind)] }).first else { return false }
        return try await rule(id, ID(rawValue: reader), database)
    }
}

extension Topic {
    /// `book:42` as `book` and 42, `server` as that and 0; `nil` for a topic of another form.
    fileprivate var parts: (kind: Substring, id: Int64)? {
        guard let colon = name.firstIndex(of: ":") else { return (name[...], 0) }
        guard let id = Int64(name[colon...].dropFirst()) else { return nil }
        return (name[..<colon], id)
    }
}
