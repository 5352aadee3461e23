import Postgres

/// Shared libraries, the copies that they hold, and who has which.
///
/// **A library** has a name, members, a level and perhaps a link. Each reader has one from the start (`own`: the books
/// that the reader owns; it has the account's number), may make others (`group`: a household, a class, a club), and the
/// server has one, to which everybody with an account belongs.
///
/// - **Members** are `reader` (checks out), `contributor` (adds copies too) or `owner` (does everything). Librarians
///   own the server's. An owner invites friends; who is invited sees the library with its copies, also a private one,
///   and joins or declines. A group keeps an owner: the last one cannot leave or step down, and where that account
///   ends, who joined first goes on, contributors before readers; with nobody left the library goes too. Nobody else
///   owns an own library.
/// - **Who sees it**: its members and the invited, and whom its level lets in as something of one of its owners,
///   through `Visibility.predicate`; an own library without a level goes by its reader's for libraries
///   (`Privacy.Kind.library`: friends). A block between a reader and an owner hides it from that reader. A link shows
///   what it holds to anybody, as long as who made it is an owner and may be seen; a block with another owner does not
///   close it, since signed out it opens all the same.
/// - **Parting**: the end of a friendship ends the membership of each in the other's own library. A block ends,
///   besides, that of each in the libraries that the other owns, and invitations. Nothing comes back by itself.
///
/// **A copy** is of a work and may name an edition. A reader has a copy alone. Members check out of a library; a book
/// of which it has recorded no copy is checked out without limit and is never due.
///
/// - **Checking out** the same book again while it is out changes nothing. It sets no status on a shelf and makes no
///   act in the feed.
/// - **Due**: a copy, after as many days as its library says, from the day of a renewal again, three times at most. The
///   reader is told two days before, and once it has passed.
/// - **Returning**: by the reader, or by an owner or contributor of the library.
/// - **Times checked out** of a work: checkouts, of those of one reader on one day (UTC) only one. Unlike ratings it
///   counts from an account's first day; the day is its guard.
/// - **Who has it** is shown to the reader and, of copies, to owners and contributors of the library. Others see that
///   it is out, and until when. A reader who is named is named by username, and by name where that reader's level for
///   names lets the viewer see it.
///
/// **Lending**: a friend asks for a copy in an own library; the lender accepts or declines, hands it over, and one of
/// the two says that it is back. Handed over it is a checkout like others. Each step is told to the other. Where the
/// friendship ends, what was asked or accepted is withdrawn; what is out stays out, since the book is where it is, and
/// either may still say that it is back. After a block nothing more is told, and neither sees whose it is.
///
/// **The end of an account** takes its checkouts along, with what they count, its loans, memberships, links and its own
/// library. What it had counts as in again. Groups with other members stay theirs, with what the reader put into them
/// and called them, without the reader's name; groups without end. What is out of a library that ends is nobody's to
/// return any more.
///
/// **Limits**: `Limits.Lending`. **Tables**: library, library_member, library_link, copy, checkout, work_checkout,
/// loan. **Counters**: library.members, library.copies, work_checkout.n; copy.holder_id stands for an open checkout
/// (`recounts`). **Events**, all in the inboxes of the readers they concern: `library.invited`, `checkout.due`,
/// `checkout.overdue`, `loan.asked`, `loan.accepted`, `loan.declined`, `loan.withdrawn`, `loan.handed_over`,
/// `loan.returned`, `loan.ended`. **Jobs**: `TellDue` (hourly), `EndLoan` when a copy with an e-book is due, `SortAnew`. Locks are taken in the order account (by id), library,
/// library_member, work, checkout, loan, copy, work_checkout (by work); who ends an account holds that alone of all
/// accounts and takes memberships last, and is asked again where that meets somebody.
package enum Lending {}

extension Lending {
    /// Whose a library is.
    package enum Kind: String, Sendable, CaseIterable, Codable, PostgresText {
        case own, group, server
    }

    /// What a member may do; each includes those before it.
    package enum Role: String, Sendable, CaseIterable, Codable, PostgresText, Comparable {
        case reader, contributor, owner

        package static func < (left: Role, right: Role) -> Bool { left.rank < right.rank }

        private var rank: Int {
            switch self {
            case .reader: 0
            case .contributor: 1
            case .owner: 2
            }
        }
    }

    /// A library as somebody sees it.
    package struct SharedLibrary: Hashable, Sendable {
        package let id: ID<SharedLibrary>
        package let kind: Kind
        /// Whose own library it is; `nil` for the others.
        package let reader: Accounts.Reader?
        /// An own library without a name goes by its reader's.
        package let name: String
        package internal(set) var description: String?
        /// `nil`, of an own library alone: as its reader's level for libraries says (`Privacy`).
        package let visibility: Visibility?
        /// Days until a copy is due; `nil`: never.
        package let loanDays: Int?
        /// `nil` for the server's: everybody.
        package let members: Int?
        package let copies: Int
        /// 1, 2, …: rises with every change of what is said above.
        package let version: Int
        package let createdAt: Timestamp
        package let changedAt: Timestamp
        /// What the viewer is in it; `nil` for who is no member. Of the invited: what they would be.
        package let role: Role?
        /// Invited, and has not joined yet.
        package let isInvited: Bool

        /// What the viewer may do in it now.
        var joined: Role? { isInvited ? nil : role }
    }

    /// What is said about a library.
    package struct NewLibrary: Hashable, Sendable {
        /// `nil` only for an own library.
        package var name: String?
        package var description: String?
        /// `nil` only for an own library.
        package var visibility: Visibility?
        package var loanDays: Int?

        package init(
            name: String?, description: String? = nil, visibility: Visibility? = .private,
            loanDays: Int? = Limits.lending.usualLoanDays
        ) {
            self.name = name
            self.description = description
            self.visibility = visibility
            self.loanDays = loanDays
        }

        /// Throws `.invalid` with every fault.
        func validate(_ kind: Kind) throws(Failure) {
            var faults = Faults()
            faults.require(name != nil || kind == .own, "/name", .required, "a library has a name")
            if let name {
                faults.require(
                    Limits.lending.name.contains(name.utf8.count), "/name", .tooLong, "1 to 200 bytes of UTF-8")
                faults.require(name.contains { !$0.isWhitespace }, "/name", .tooShort, "holds no text")
            }
            if let description {
                faults.require(
                    Limits.lending.description.contains(description.utf8.count), "/description", .tooLong,
                    "1 to 5,000 bytes of UTF-8")
            }
            for (pointer, text) in [("/name", name ?? ""), ("/description", description ?? "")] {
                faults.require(Wording.isPlain(text), pointer, .badFormat, Wording.unplain)
            }
            if let loanDays {
                faults.require(
                    Limits.lending.loanDays.contains(loanDays), "/loan_days", .outOfRange, "must be 1 to 365")
            }
            faults.require(visibility != nil || kind == .own, "/visibility", .required, "must be given")
            if kind == .server, let visibility {
                faults.require(
                    visibility >= .members, "/visibility", .mismatch, "the server's library is for members or public")
            }
            try faults.check()
        }
    }

    /// What is to change about a library.
    package struct LibraryChange: Hashable, Sendable {
        package var name: FieldChange<String>
        package var description: FieldChange<String>
        package var visibility: FieldChange<Visibility>
        package var loanDays: FieldChange<Int>

        package init(
            name: FieldChange<String> = .keep, description: FieldChange<String> = .keep,
            visibility: FieldChange<Visibility> = .keep, loanDays: FieldChange<Int> = .keep
        ) {
            self.name = name
            self.description = description
            self.visibility = visibility
            self.loanDays = loanDays
        }

        func applied(to old: NewLibrary) -> NewLibrary {
            NewLibrary(
                name: name.applied(to: old.name), description: description.applied(to: old.description),
                visibility: visibility.applied(to: old.visibility), loanDays: loanDays.applied(to: old.loanDays))
        }
    }

    /// Who belongs to a library, or is invited to.
    package struct Member: Hashable, Sendable, Encodable {
        package let reader: Accounts.Reader
        package let role: Role
        package let invitedAt: Timestamp
        /// `nil` while it is an invitation.
        package let joinedAt: Timestamp?
    }
}

extension ID where Entity == Lending.SharedLibrary {
    /// The one of the server.
    package static var server: Self { Self(rawValue: 1) }

    /// A reader's own.
    package static func own(of reader: ID<Accounts.Account>) -> Self { Self(rawValue: reader.rawValue) }
}

extension Lending.SharedLibrary {
    /// The same for a program whose access token joins libraries and does not read them: without its description.
    package var withoutWords: Lending.SharedLibrary {
        var copy = self
        copy.description = nil
        return copy
    }
}
