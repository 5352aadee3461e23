import EventLog
import JSONWriting
import Postgres

/// What an event is about, for those who may hear of it. It is looked up when the event is delivered, not when it is
/// written.
///
/// An event names one by its name and a value (`subject_kind` and `subject_id` in the log). A domain registers its own
/// in `Domain.eventSubjects`.
package struct EventSubject: Sendable {
    /// `a-z _`, unique.
    package let name: String
    /// SQL: joins the row that `asked.value` names, and what `isTold` reads.
    var joins: Fragment = ""
    /// SQL: whether `viewer.id` may know of `asked.value`, which is `asked.owner`'s, now. `nil`: the domain's
    /// `exceptions` has a statement of its own.
    var isTold: Fragment?
    /// Its question alone says who gets the event (the two of a conversation), on every topic, inboxes included.
    var namesReaders = false
    /// The topics of a board, up to its id: each event that stands on one is asked about that board, too.
    var boardTopics: String?
}

/// May a viewer know of this now?
package struct EventQuestion: Hashable, Sendable {
    /// The name of an `EventSubject`.
    let subject: String
    /// Whose it is; not read for every subject.
    let owner: Int64
    /// The id of what is asked about, or a level.
    let value: Int64
}

/// Questions about events, each with its viewers: the readers for whom it is to be answered.
package struct EventQuestions: Sendable {
    /// A reader who does not exist. Apart from blocks and mutes, everything that a rule looks at can only let a viewer
    /// see more. So what the stranger gets, every member gets who has no block with the people concerned.
    static let stranger = Int64.max

    /// One question, for `viewers[first - 1...last - 1]`. Where it `isOpen`, it is for the stranger, and for those of
    /// them who block the people that it is about, or are blocked by them.
    private struct Asked: Sendable {
        let subject: String
        let owner: Int64
        let value: Int64
        let first: Int
        let last: Int
        let isOpen: Bool
    }

    private(set) var questions: [EventQuestion] = []
    private var asked: [Asked] = []
    private var viewers: [Int64] = []

    /// Questions and viewers, as many as there are answers to be found.
    var pairs: Int { questions.count + viewers.count }

    /// `isOpen`: of the stranger, and of those viewers with a block.
    mutating func ask(_ question: EventQuestion, of viewers: [Int64], isOpen: Bool) {
        // Events of one topic in a row have the same viewers.
        let isSame = asked.last.map { self.viewers[($0.first - 1)..<$0.last].elementsEqual(viewers) } ?? false
        let first = isSame ? asked[asked.count - 1].first : self.viewers.count + 1
        questions.append(question)
        asked.append(
            Asked(
                subject: question.subject, owner: question.owner, value: question.value, first: first,
                last: first + viewers.count - 1, isOpen: isOpen))
        if !isSame { self.viewers += viewers }
    }

    /// For each question, in order.
    func answers(_ rows: [Exceptions.Row]) throws -> [Exceptions] {
        var answers = questions.map { _ in Exceptions() }
        for row in rows {
            if let gate = row.gate {
                try answers[row.place].gate(row.viewer, behind: gate.placeholder, as: gate.name)
            } else {
                answers[row.place].hide(from: row.viewer)
            }
        }
        return answers
    }

    /// SQL: the questions, in scope as `asked`.
    static let sql: SQL<Self> = """
        unnest(\(\.asked, each: \.subject)::text[], \(\.asked, each: \.owner)::bigint[], \(\.asked, each: \.value)::bigint[],
                     \(\.asked, each: \.first)::bigint[], \(\.asked, each: \.last)::bigint[],
                     \(\.asked, each: \.isOpen)::boolean[])
                     with ordinality asked (kind, owner, value, first, last, is_open, place)
        """

    /// SQL: the viewers of the question in scope as `asked`, in scope as `viewer`. `people`: whose blocks count.
    static func viewer(people: Fragment = "asked.owner") -> SQL<Self> {
        """
        lateral (
                   select unnest((\(\.viewers)::bigint[])[asked.first:asked.last]) as id where not asked.is_open
                    union all
                   select \(stranger) where asked.is_open
                    union all
                  ((select block.blocked_id from block where asked.is_open and block.blocker_id in (\(people))
                     union all
                    select block.blocker_id from block where asked.is_open and block.blocked_id in (\(people)))
                    intersect
                   select unnest((\(\.viewers)::bigint[])[asked.first:asked.last]) where asked.is_open)) viewer
        """
    }
}

/// Who does not get one event whole, as far as its questions were answered.
package struct Exceptions: Sendable {
    /// Those for whom a question is answered with no.
    private(set) var hidden: Set<Int64>
    /// Those to whom a gate is shut.
    private var gated: Set<Int64> = []
    private var placeholder: JSON?

    init(hidden: Set<Int64> = []) { self.hidden = hidden }

    mutating func hide(from viewer: Int64) { hidden.insert(viewer) }

    /// `name`: of the thing in the event's data.
    mutating func gate(_ viewer: Int64, behind placeholder: Gate.Placeholder, as name: StaticString) throws {
        gated.insert(viewer)
        // The same for all: it says what the post is, and nothing of who looks.
        guard self.placeholder == nil else { return }
        self.placeholder = try JSON.object { $0.put(name, placeholder) }
    }

    /// One viewer for whom the answer to one question is no now.
    struct Row: Sendable {
        /// Of the question in the list.
        let place: Int
        let viewer: Int64
        /// What may be known before the gate opens, and the name of that in the event's data; `nil` where nothing is.
        var gate: (placeholder: Gate.Placeholder, name: StaticString)?
    }

    mutating func add(_ other: Exceptions) {
        hidden.formUnion(other.hidden)
        gated.formUnion(other.gated)
        placeholder = placeholder ?? other.placeholder
    }

    /// A stranger to all gets it whole: only those named here do not.
    var isOpen: Bool { !hidden.contains(EventQuestions.stranger) && !gated.contains(EventQuestions.stranger) }

    var verdict: Verdict { Verdict(hidden: hidden, gated: gated, placeholder: placeholder) }
}

/// One row for each viewer of a question for whom the answer is no now, with the question's place in the list.
struct FindExceptions<Owner: Domain>: Statement {
    static var name: String { "\(Owner.self).find_exceptions".lowercased() }
    static var isPlannedOnce: Bool { true }

    static var sql: SQL<Self> {
        let subjects = Owner.eventSubjects
        let cases = subjects.compactMap { subject in
            subject.isTold.map { "when \(literal: subject.name) then \($0)" as Fragment }
        }
        return """
            select asked.place - 1 as place, viewer.id
              from \(EventQuestions.sql.of(\Self.questions))
              \(subjects.map(\.joins).joined(separator: "\n") as Fragment)
             cross join \(EventQuestions.viewer().of(\Self.questions))
             where (case asked.kind
                    \(cases.joined(separator: "\n") as Fragment)
                    end) is not true
            """
    }

    let questions: EventQuestions

    static func decode(_ columns: inout Columns) throws -> Exceptions.Row {
        Exceptions.Row(place: try columns("place"), viewer: try columns("id"))
    }
}

extension Domain {
    package static func exceptions(to questions: EventQuestions, in database: Database) async throws -> [Exceptions] {
        try questions.answers(try await database.all(FindExceptions<Self>(questions: questions)))
    }

    /// What `exceptions` is sent as; `nil` where the domain has a statement of its own, or no subjects.
    package static var exceptionsStatement: (any Statement.Type)? {
        eventSubjects.contains { $0.isTold != nil } ? FindExceptions<Self>.self : nil
    }
}

/// Whether a reader may follow the topic of this id now.
package typealias TopicRule =
    @Sendable (_ id: Int64, _ reader: ID<Accounts.Account>, _ database: Database) async throws -> Bool
