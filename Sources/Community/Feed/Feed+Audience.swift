import EventLog
import Postgres

extension Feed {
    /// Who may see an event, found out when it is delivered, not when it was written: what has been removed, edited,
    /// hidden or blocked since is not delivered, live or in a replay; and of a post that lies ahead of a reader only
    /// where it stands.
    package struct Audience: EventAudience, HomeTopics {
        let database: Database

        package init(_ database: Database) { self.database = database }

        package func verdicts(on events: [LoggedEvent], for viewers: [Int64]) async throws -> [Verdict] {
            let rules = events.map(Rule.init)
            var answers = rules.map { Answer(may: $0.candidates.map { $0.intersection(viewers) } ?? Set(viewers)) }
            guard !viewers.isEmpty else { return answers.map(\.verdict) }
            let asked = rules.indices.flatMap { place in rules[place].questions.map { (place: place, question: $0) } }
            let texts = asked.filter { $0.question.subject == .text }
            let said = asked.filter { $0.question.subject.isReview }
            let boards = asked.filter { $0.question.subject.isBoard }
            let others = asked.filter {
                $0.question.subject != .text && !$0.question.subject.isReview && !$0.question.subject.isBoard
            }
            let allowed = try await allowed(others.map(\.question), for: viewers)
            for ((place, _), seeing) in zip(others, allowed) { answers[place].may.formIntersection(seeing) }
            let inside = try await readers(ofBoards: boards.map(\.question), among: viewers)
            for ((place, _), seeing) in zip(boards, inside) { answers[place].may.formIntersection(seeing) }
            let found = try await readers(of: texts.map(\.question.value), among: viewers)
            for ((place, _), answer) in zip(texts, found) { answers[place].meet(answer) }
            let reviewed = try await readers(of: said.map(\.question), among: viewers)
            for ((place, _), answer) in zip(said, reviewed) { answers[place].meet(answer) }
            return answers.map(\.verdict)
        }

        /// For each question those of `viewers` for whom the answer is yes.
        private func allowed(_ questions: [Rule.Question], for viewers: [Int64]) async throws -> [Set<Int64>] {
            guard !questions.isEmpty else { return [] }
            var allowed = questions.map { _ in Set<Int64>() }
            let seen = try await database.all(Statements.Visible(questions: questions, viewers: viewers))
            for (number, viewer) in seen { allowed[number].insert(viewer) }
            return allowed
        }

        /// For each board who of `viewers` reads it.
        private func readers(ofBoards questions: [Rule.Question], among viewers: [Int64]) async throws -> [Set<Int64>] {
            guard !questions.isEmpty else { return [] }
            var answers = questions.map { _ in Set<Int64>() }
            for (number, viewer) in try await database.all(Statements.Inside(questions: questions, viewers: viewers)) {
                answers[number].insert(viewer)
            }
            return answers
        }

        /// For each text who of `viewers` may know of it, and to whom its gate is shut.
        private func readers(of texts: [Int64], among viewers: [Int64]) async throws -> [Answer] {
            guard !texts.isEmpty else { return [] }
            var answers = texts.map { _ in Answer(may: []) }
            for one in try await database.all(Statements.Texts(texts: texts, viewers: viewers)) {
                answers[one.place].may.insert(one.viewer)
                if let placeholder = one.placeholder {
                    try answers[one.place].hold(one.viewer, behind: placeholder, as: "post")
                }
            }
            return answers
        }

        /// For each review, text of one and reply to one who of `viewers` may know of it, and to whom its gate is shut.
        private func readers(of said: [Rule.Question], among viewers: [Int64]) async throws -> [Answer] {
            guard !said.isEmpty else { return [] }
            var answers = said.map { _ in Answer(may: []) }
            for one in try await database.all(Statements.Said(questions: said, viewers: viewers)) {
                answers[one.place].may.insert(one.viewer)
                guard let placeholder = one.placeholder else { continue }
                let name = said[one.place].subject == .reviewReply ? "reply" : "review"
                try answers[one.place].hold(one.viewer, behind: placeholder, as: name)
            }
            return answers
        }

        /// What is known of one event's verdict while it is put together.
        private struct Answer {
            /// Those for whom no question is answered with no.
            var may: Set<Int64>
            /// Those to whom a gate is shut.
            private var held: Set<Int64> = []
            private var placeholder: JSON?

            init(may: Set<Int64>) { self.may = may }

            /// `name`: of the thing in the event's data.
            mutating func hold(_ viewer: Int64, behind placeholder: Gate.Placeholder, as name: String) throws {
                held.insert(viewer)
                // The same for all: it says what the post is, and nothing of who looks.
                if self.placeholder == nil { self.placeholder = try JSON(encoding: [name: placeholder]) }
            }

            mutating func meet(_ other: Answer) {
                may.formIntersection(other.may)
                held.formUnion(other.held)
                placeholder = placeholder ?? other.placeholder
            }

            var verdict: Verdict {
                Verdict(seen: may.subtracting(held), gated: may.intersection(held), placeholder: placeholder)
            }
        }

        package func homeTopics(of reader: Int64) async throws -> [Topic] {
            let (readers, books, groups) = try await database.together(
                Statements.HomeReaders(reader: reader), Statements.HomeBooks(reader: reader),
                Statements.HomeGroups(reader: reader))
            return readers.map(Topic.reader) + books.map(Topic.book) + groups.map(Topic.group)
        }
    }

    /// How the audience of an event is found: those of `candidates` for whom every question is answered with yes.
    struct Rule: Hashable {
        /// `nil`: everybody who follows the event's topics.
        let candidates: Set<Int64>?
        let questions: [Question]

        /// May the viewer see this now?
        struct Question: Hashable {
            let subject: Subject
            /// Whose it is; read for `.level`, `.heard`, `.message` and `.receipt` only.
            let owner: Int64
            /// The id of a review, of an entry on a shelf, of a mark, of a text or reply, of a conversation, of a group
            /// or thread, or the level.
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
                guard !subject.namesReaders else {
                    self.init(candidates: nil, questions: [question])
                    return
                }
                self.init(inboxes, asking: [question] + (subject == .level ? event.boards : []), about: owner)
            } else if let owner = event.owner, inboxes.isEmpty {
                self.init(candidates: [owner], questions: [])
            } else {
                self.init(inboxes, asking: event.boards, about: event.owner)
            }
        }

        private init(candidates: Set<Int64>?, questions: [Question]) {
            self.candidates = candidates
            self.questions = questions
        }

        /// What stands in an inbox is for its reader alone, and only while that reader may see whose doing it is and
        /// has not muted them.
        private init(_ inboxes: Set<Int64>, asking questions: [Question], about owner: Int64?) {
            guard !inboxes.isEmpty else {
                self.init(candidates: nil, questions: questions)
                return
            }
            let hears = owner.map {
                [
                    Question(subject: .level, owner: $0, value: Int64(Visibility.members.rawValue)),
                    Question(subject: .heard, owner: $0, value: 0),
                ]
            }
            self.init(candidates: inboxes, questions: questions + (hears ?? []))
        }
    }
}

extension LoggedEvent {
    /// Asks whether the viewer reads the board that it happened on; empty where that was none. Who was removed from a
    /// private group since is told nothing more of it, on whichever topic.
    fileprivate var boards: [Feed.Rule.Question] {
        for (subject, prefix) in [(Feed.Subject.group, "group:"), (.thread, "thread:")] {
            let named = places.lazy.map(\.topic.name).filter { $0.hasPrefix(prefix) }
            if let id = named.compactMap({ Int64($0.dropFirst(prefix.count)) }).first {
                return [Feed.Rule.Question(subject: subject, owner: 0, value: id)]
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
