import FoundationEssentials
import Postgres

extension Catalog {
    /// One change that somebody made.
    package struct Revision: Sendable {
        /// What was done.
        package enum Action: String, Sendable, CaseIterable, PostgresText {
            case create, edit, merge, undo
        }

        package let id: ID<Revision>
        package let at: Timestamp
        /// `account:42`, `account` for somebody who has left, `cli:NAME`, or `import:ol` for a redirect in a dump.
        package let actor: String
        /// Whose change it is, where that is a member who is still here.
        package let account: ID<Accounts.Account>?
        /// That member, where the viewer may see them.
        package let author: Accounts.Reader?
        package let action: Action
        package let thing: Thing
        package let reason: String
        /// The changed fields.
        package let before: Facts
        package let after: Facts
        package let proposal: ID<Proposal>?
        package let undoes: ID<Revision>?
    }

    /// A correction or a new edition that waits for a librarian, or waited.
    package struct Proposal: Sendable {
        /// What became of it.
        package enum State: String, Sendable, CaseIterable, PostgresText {
            case open, accepted, declined, withdrawn
        }

        /// What is to be done.
        package enum Action: String, Sendable, CaseIterable, PostgresText {
            /// The thing's fields are to change.
            case edit
            /// The thing, a book, is to get an edition.
            case create
        }

        package let id: ID<Proposal>
        package let at: Timestamp
        package let author: Accounts.Reader
        package let thing: Thing
        package let action: Action
        package let changes: Facts
        package let reason: String
        package let state: State
        package let decidedAt: Timestamp?
        package let answer: String?
        /// The fields as they were when it was made; none for what was merged since.
        package let before: Facts
    }

    /// What became of a correction.
    package enum Corrected: Sendable {
        /// It holds, as this revision; the thing has this version now. `edition`: the one that was made.
        case applied(ID<Revision>, version: Int, edition: ID<Edition>? = nil)
        case proposed(ID<Proposal>)
        /// Everything was so already.
        case unchanged
    }
}

extension JSON {
    /// Facts as they are stored: by Foundation, which also reads them.
    init(_ facts: Catalog.Facts) throws { self.init(bytes: [UInt8](try JSONEncoder().encode(facts))) }

    /// Facts as they were stored.
    func facts() throws -> Catalog.Facts { try JSONDecoder().decode(Catalog.Facts.self, from: Data(bytes)) }
}
