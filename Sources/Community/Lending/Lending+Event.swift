import EventLog
import Postgres

extension Lending {
    /// What happens between readers about books, each in the inbox of whom it concerns. Version 1 of each.
    enum Event: Sendable {
        /// `{"library":{"id","name"},"role","reader"}`: who invites.
        case invited(ID<Accounts.Account>, into: SharedLibrary, as: Role, by: Accounts.Reader)
        /// A copy is due within two days: `{"checkout_id","library_id","book","due_at"}`.
        case due(Checkout, of: ID<Accounts.Account>)
        /// It was due: the same shape.
        case overdue(Checkout, of: ID<Accounts.Account>)
        /// A step of a loan: `{"loan_id","book","due","reader"}`: whose step it is.
        case loan(Step, Loan, by: Accounts.Reader, to: ID<Accounts.Account>)

        /// What one of the two did; the raw value is the kind of the event.
        enum Step: String, Sendable, CaseIterable {
            case asked = "loan.asked"
            case agreed = "loan.agreed"
            case declined = "loan.declined"
            case withdrawn = "loan.withdrawn"
            case handedOver = "loan.handed_over"
            case returned = "loan.returned"
        }

        var kind: String {
            switch self {
            case .invited: "library.invited"
            case .due: "checkout.due"
            case .overdue: "checkout.overdue"
            case .loan(let step, _, _, _): step.rawValue
            }
        }

        private var inbox: ID<Accounts.Account> {
            switch self {
            case .invited(let reader, _, _, _), .due(_, let reader), .overdue(_, let reader),
                .loan(_, _, _, let reader):
                reader
            }
        }

        /// Whose doing it is, who must be seen at level members; of a date, whom it reminds.
        private var owner: ID<Accounts.Account> {
            switch self {
            case .invited(_, _, _, let reader), .loan(_, _, let reader, _): reader.id
            case .due(_, let reader), .overdue(_, let reader): reader
            }
        }

        private func data() throws -> JSON {
            switch self {
            case .invited(_, let library, let role, let reader):
                try JSON(
                    encoding: Invitation(
                        library: Checkout.Place(id: library.id, name: library.name), role: role, reader: reader))
            case .due(let checkout, _), .overdue(let checkout, _):
                try JSON(
                    encoding: Reminder(
                        checkout: checkout.id, library: checkout.library?.id, book: checkout.book.shortened,
                        dueAt: checkout.dueAt))
            case .loan(_, let loan, let reader, _):
                try JSON(
                    encoding: LoanStep(
                        loan: loan.id, book: loan.book.shortened, due: loan.due?.text, reader: reader))
            }
        }

        /// Writes the event into the outbox, as part of `transaction`.
        func append(in transaction: some Queryable, house: House) async throws {
            try await EventLog.append(
                NewEvent(
                    id: house.ids.make(Event.self).rawValue, kind: kind, version: 1,
                    topics: [.inbox(inbox.rawValue)], owner: owner.rawValue,
                    subjectKind: Feed.Subject.level.rawValue, subject: Int64(Visibility.members.rawValue),
                    at: house.clock.now(), data: data()),
                in: transaction)
        }

        private struct Invitation: Encodable {
            let library: Checkout.Place
            let role: Role
            let reader: Accounts.Reader
        }

        private struct Reminder: Encodable {
            let checkout: ID<Checkout>
            let library: ID<SharedLibrary>?
            let book: Reviews.Book
            let dueAt: Timestamp?

            private enum CodingKeys: String, CodingKey {
                case checkout = "checkout_id"
                case library = "library_id"
                case book
                case dueAt = "due_at"
            }

            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: CodingKeys.self)
                try container.encode(checkout, forKey: .checkout)
                try container.encode(library, forKey: .library)
                try container.encode(book, forKey: .book)
                try container.encode(dueAt, forKey: .dueAt)
            }
        }

        private struct LoanStep: Encodable {
            let loan: ID<Loan>
            let book: Reviews.Book
            let due: String?
            let reader: Accounts.Reader

            private enum CodingKeys: String, CodingKey {
                case loan = "loan_id"
                case book, due, reader
            }

            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: CodingKeys.self)
                try container.encode(loan, forKey: .loan)
                try container.encode(book, forKey: .book)
                try container.encode(due, forKey: .due)
                try container.encode(reader, forKey: .reader)
            }
        }
    }
}

extension Reviews.Book {
    /// With no more authors than an event has room for.
    fileprivate var shortened: Reviews.Book {
        Reviews.Book(id: id, title: title, authors: Array(authors.prefix(10)))
    }
}
