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
    /// SQL: whether `viewer.id` may know of `asked.value`, which is `asked.owner`'s, now. `nil`: the domain's `hearers`
    /// has a statement of its own.
    var isTold: Fragment?
    /// The answer says for which two an event is, also where it stands in the inbox of one of them and on a topic of
    /// both.
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

/// Who may hear of one event, as far as its questions were answered.
package struct Hearers: Sendable {
    /// Those for whom no question is answered with no.
    var may: Set<Int64>
    /// Those to whom a gate is shut.
    private var held: Set<Int64> = []
    private var placeholder: JSON?

    init(may: Set<Int64> = []) { self.may = may }

    /// `name`: of the thing in the event's data.
    mutating func hold(_ viewer: Int64, behind placeholder: Gate.Placeholder, as name: StaticString) throws {
        held.insert(viewer)
        // The same for all: it says what the post is, and nothing of who looks.
        guard self.placeholder == nil else { return }
        self.placeholder = try JSON.object { $0.put(name, placeholder) }
    }

    mutating func meet(_ other: Hearers) {
        may.formIntersection(other.may)
        held.formUnion(other.held)
        placeholder = placeholder ?? other.placeholder
    }

    var verdict: Verdict {
        Verdict(seen: may.subtracting(held), gated: may.intersection(held), placeholder: placeholder)
    }
}

/// Pairs of a question's place in the list and a viewer for whom the answer is yes now.
struct FindHearers<Owner: Domain>: Statement {
    static var name: String { "\(Owner.self).find_hearers".lowercased() }

    static var sql: SQL<Self> {
        let subjects = Owner.eventSubjects
        let cases = subjects.compactMap { subject in
            subject.isTold.map { "when \(literal: subject.name) then \($0)" as Fragment }
        }
        return """
            select asked.place - 1 as place, viewer.id
              from unnest(\(\.questions, each: \.subject)::text[], \(\.questions, each: \.owner)::bigint[], \(\.questions, each: \.value)::bigint[]) with ordinality asked (kind, owner, value, place)
             cross join unnest(\(\.viewers)::bigint[]) viewer (id)
              \(subjects.map(\.joins).joined(separator: "\n") as Fragment)
             where case asked.kind
                   \(cases.joined(separator: "\n") as Fragment)
                   end
            """
    }

    let questions: [EventQuestion], viewers: [Int64]

    static func decode(_ columns: inout Columns) throws -> (place: Int, viewer: Int64) {
        (try columns("place"), try columns("id"))
    }
}

extension Domain {
    package static func hearers(
        of questions: [EventQuestion], among viewers: [Int64], in database: Database
    ) async throws -> [Hearers] {
        var answers = questions.map { _ in Hearers() }
        let found = try await database.all(FindHearers<Self>(questions: questions, viewers: viewers))
        for (place, viewer) in found { answers[place].may.insert(viewer) }
        return answers
    }

    /// What `hearers` is sent as; `nil` where the domain has a statement of its own, or no subjects.
    package static var hearersStatement: (any Statement.Type)? {
        eventSubjects.contains { $0.isTold != nil } ? FindHearers<Self>.self : nil
    }
}

/// Whether a reader may follow the topic of this id now.
package typealias TopicRule =
    @Sendable (_ id: Int64, _ reader: ID<Accounts.Account>, _ database: Database) async throws -> Bool
