import EventLog
import JSONWriting
import Postgres

extension Lending {
    /// The kinds of its events; those of a loan are its steps.
    enum EventKind: String, Sendable, CaseIterable {
        case invited = "library.invited"
        case due = "checkout.due"
        case overdue = "checkout.overdue"
        case asked = "loan.asked"
        case accepted = "loan.accepted"
        case declined = "loan.declined"
        case withdrawn = "loan.withdrawn"
        case handedOver = "loan.handed_over"
        case returned = "loan.returned"
        case ended = "loan.ended"
    }

    /// What happens between readers about books, each in the inbox of the reader it concerns. Version 1 of each.
    enum Event: Sendable {
        /// `{"library":{"id","name"},"role","reader"}`: who invites.
        case invited(ID<Accounts.Account>, into: SharedLibrary, as: Role, by: Accounts.Reader)
        /// A copy is due within two days: `{"checkout":{"id"},"library":{"id"},"book","due_at"}`; without a
        /// library, null.
        case due(Checkout, of: ID<Accounts.Account>)
        /// It was due: the same shape.
        case overdue(Checkout, of: ID<Accounts.Account>)
        /// A copy with an e-book is returned or due, and its pages are closed: the same shape.
        case ended(Checkout, of: ID<Accounts.Account>)
        /// A step of a loan: `{"loan":{"id"},"book","due","reader"}`: whose step it is.
        case loan(Step, Loan, by: Accounts.Reader, to: ID<Accounts.Account>)

        /// What one of the two did.
        enum Step: Sendable, CaseIterable {
            case asked, accepted, declined, withdrawn, handedOver, returned

            var kind: EventKind {
                switch self {
                case .asked: .asked
                case .accepted: .accepted
                case .declined: .declined
                case .withdrawn: .withdrawn
                case .handedOver: .handedOver
                case .returned: .returned
                }
            }
        }

        var kind: EventKind {
            switch self {
            case .invited: .invited
            case .due: .due
            case .overdue: .overdue
            case .ended: .ended
            case .loan(let step, _, _, _): step.kind
            }
        }

        private var inbox: ID<Accounts.Account> {
            switch self {
            case .invited(let reader, _, _, _), .due(_, let reader), .overdue(_, let reader), .ended(_, let reader),
                .loan(_, _, _, let reader):
                reader
            }
        }

        /// Whose doing it is, who must be seen at level members; of a date, whom it reminds.
        private var owner: ID<Accounts.Account> {
            switch self {
            case .invited(_, _, _, let reader), .loan(_, _, let reader, _): reader.id
            case .due(_, let reader), .overdue(_, let reader), .ended(_, let reader): reader
            }
        }

        private func data() throws -> JSON {
            switch self {
            case .invited(_, let library, let role, let reader):
                try JSON.object {
                    $0.put("library", Checkout.Place(id: library.id, name: library.name))
                    $0.put("role", role)
                    $0.put("reader", reader)
                }
            case .due(let checkout, _), .overdue(let checkout, _), .ended(let checkout, _):
                try JSON.object {
                    $0.put("checkout", idOf: checkout.id)
                    $0.put("library", idOf: checkout.library?.id)
                    $0.put("book", checkout.book.shortened)
                    $0.put("due_at", checkout.dueAt)
                }
            case .loan(_, let loan, let reader, _):
                try JSON.object {
                    $0.put("loan", idOf: loan.id)
                    $0.put("book", loan.book.shortened)
                    $0.put("due", loan.due?.text)
                    $0.put("reader", reader)
                }
            }
        }

        /// Writes the event into the outbox, as part of `transaction`.
        func append(in transaction: some Queryable, services: Services) async throws {
            try await EventLog.append(
                NewEvent(
                    id: services.ids.make(Event.self).rawValue, kind: kind.rawValue, version: 1,
                    topics: [.inbox(inbox.rawValue)], owner: owner.rawValue,
                    subjectKind: EventSubject.level.name, subject: Int64(Visibility.members.rawValue),
                    at: services.clock.now(), data: data()),
                in: transaction)
        }
    }
}
