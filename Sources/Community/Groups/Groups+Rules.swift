import PlainText
import Postgres

extension Groups {
    /// A group that a reader wants to make.
    package struct NewGroup: Hashable, Sendable {
        /// Without blanks around it.
        package let name: String
        package let about: String?
        package let joining: Joining
        package let visibility: Openness
        package let book: ID<Catalog.Work>?

        package init(
            name: String, about: String? = nil, joining: Joining = .open, visibility: Openness = .public,
            book: ID<Catalog.Work>? = nil
        ) {
            self.name = name.trimmed()
            self.about = about
            self.joining = joining
            self.visibility = visibility
            self.book = book
        }

        /// Throws `.invalid` with every fault of name and text.
        package func validate() throws(Failure) {
            var faults = Faults()
            Groups.check(name: name, into: &faults)
            if let about { Groups.check(about: about, into: &faults) }
            try faults.check()
        }
    }

    /// What is to become of a group. What is kept stays.
    package struct Change: Hashable, Sendable {
        package let name: String?
        package let about: FieldChange<String>
        package let joining: Joining?
        package let book: FieldChange<ID<Catalog.Work>>

        package init(
            name: String? = nil, about: FieldChange<String> = .keep, joining: Joining? = nil,
            book: FieldChange<ID<Catalog.Work>> = .keep
        ) {
            self.name = name.map { $0.trimmed() }
            self.about = about
            self.joining = joining
            self.book = book
        }

        /// Throws `.invalid` with every fault of name and text.
        package func validate() throws(Failure) {
            var faults = Faults()
            if let name { Groups.check(name: name, into: &faults) }
            if let about = about.value { Groups.check(about: about, into: &faults) }
            try faults.check()
        }
    }

    /// A group that is there, its row locked, and what one reader is to it.
    struct Standing: Sendable, Hashable {
        var joining = Joining.open
        var visibility = Openness.public
        var members = 1
        var version = 1
        var name = ""
        var isHidden = false
        var role: Role?
        var isInvited = false
        var hasRequested = false
        var isBanned = false

        /// Throws `.notFound` where there is no such group for the reader.
        func mustBeSeen(_ group: ID<Group>) throws(Failure) {
            let isSeen = isHidden ? role == .owner : visibility == .public || role != nil || isInvited
            guard isSeen else { throw .notFound("group \(group)") }
        }

        /// Throws `.notFound` where there is no such group for the reader; `.forbidden`: `not_a_member`, `role_too_low`
        /// below `least`.
        func mustBe(_ least: Role, of group: ID<Group>) throws(Failure) {
            try mustBeSeen(group)
            guard let role else { throw .notMember }
            guard role >= least else { throw .roleTooLow(least) }
        }

        /// What comes of wanting to join. Throws `.notFound`, `.forbidden` (`banned`, `invitation_needed`).
        func join(_ group: ID<Group>) throws(Failure) -> Entry {
            try mustBeSeen(group)
            if role != nil { return .stays }
            guard !isBanned else { throw .banned }
            if isInvited || joining == .open { return .enters }
            guard joining == .request else {
                throw .forbidden(code: .invitationNeeded, "one joins this group by invitation alone")
            }
            return hasRequested ? .waits : .asks
        }

        /// Throws `.forbidden` (`not_a_member`, `role_too_low`) unless the reader may invite.
        func mayInvite(into group: ID<Group>) throws(Failure) {
            try mustBe(joining == .open ? .member : .moderator, of: group)
        }
    }

    /// What comes of wanting to join.
    enum Entry: Sendable, Hashable {
        /// Is a member already.
        case stays
        case enters
        case asks
        /// Has asked already.
        case waits
    }
}

extension Groups.Role {
    /// Throws `.forbidden` (`role_too_low`) unless a member with this role may act on somebody with that one; `nil`: no
    /// member.
    func mayActOn(_ other: Groups.Role?) throws(Failure) {
        guard self == .owner || self > (other ?? .member) else { throw .roleTooLow(.owner) }
    }
}

extension Groups {
    /// What a name must be: a line.
    package static func check(name: String, into faults: inout Faults) {
        Wording.check(line: name, into: &faults, characters: Limits.groups.name, at: "/name")
    }

    /// What is said about a group.
    package static func check(about: String, into faults: inout Faults) {
        Wording.check(
            text: about, into: &faults, characters: Limits.groups.about, bytes: 1...Limits.groups.aboutBytes,
            at: "/description")
    }

    /// A name as it is looked for.
    static func fold(_ name: String) -> String { name.lowercased() }
}

extension Failure {
    static var notMember: Failure { .forbidden(code: .notAMember, "only members of the group do that") }

    static var banned: Failure { .forbidden(code: .banned, "you are banned from this group until you are invited") }

    static func roleTooLow(_ least: Groups.Role) -> Failure {
        .forbidden(code: .roleTooLow, "it takes the role \(least.rawValue) in this group, or a higher one than theirs")
    }
}
