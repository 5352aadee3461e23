import Postgres

/// Groups: readers who talk among themselves.
///
/// - **Visibility**, chosen once: of a `public` group everybody sees page, members and board; a `private` one is there
///   for its members, and its page for invited readers; for all others there is none.
/// - **Joining**: `open`; by `request`, which owners and moderators answer; by `invitation` alone. An invitation lets
///   in whatever the way. In open groups every member invites, in others owners and moderators; friends only.
/// - **Roles**: owners change the group, give roles and close it; owners and moderators answer requests, remove
///   members, ban, and lock, pin, announce and hide on the board. Nobody acts on their own role or a higher one, but
///   owners on all.
/// - **Leaving**: with its last owner a group passes to the moderator, else the member, who has been there longest,
///   those whose accounts are in good standing first. With the last member it closes. The end of an account is leaving
///   everything; name and description of a group stay, those that the reader wrote, too: they are its members' by then.
/// - **Ban**: a banned reader does not come in until an owner or a moderator invites them or lifts the ban; they see
///   whom the group bans. What all may read the banned read.
/// - **Moderators of the server** lock, pin, hide and set scopes on every group's board by the id of what they name,
///   and read no private one for it: what is said there is its members', who can tell them an id of what breaks the
///   rules. They neither see nor change members.
/// - **Hidden** by a moderator of the server, it is there for its owners alone, its board with it. Its members may
///   leave; who follows it is shut out, as of one that is closed.
/// - **Closed**: without members, and nowhere to be seen. What was written there stays its authors'.
/// - **Blocks**: who blocks or is blocked sees the group and not the other in it; invitations between the two end.
/// - **Board**: threads about a book or about none, the same gate; members have them in their feeds (`Feed`).
///   `Groups.opens` says who reads: it is part of `Boards.Statements.threadIsSeen` and of the stream's audience.
///   Members alone write (`not_a_member`); who left still finds, and may delete, their own posts.
///
/// **Limits**: `Limits.Groups`; accounts in their first day make none. **Tables**: `reading_group`, `group_member`,
/// `group_request`, `group_invitation`, `group_ban`. **Counters**: `reading_group.members`, `reader_tally.groups`
/// (`recounts`). **Events** (v1): to `group:G` `group.changed`, `group.member_joined`, `group.member_left`, and what
/// happens on its board; to inboxes `group.invited`, `group.requested`, `group.accepted`; on `control`
/// `membership.changed` and `topic.closed`. **Notifications**: the same three. **Jobs**: none. Locks are taken in the
/// order account, work, group, thread, reader_tally; that a group is active (`active_at`) is said last, behind the
/// thread.
package enum Groups {
}

extension Groups {
    /// How readers come in.
    package enum Joining: String, Sendable, CaseIterable, PostgresText, Encodable {
        case open, request, invitation
    }

    /// Who sees a group; `visibility` in JSON, and not the `Visibility` of readers' things.
    package enum Openness: String, Sendable, CaseIterable, PostgresText, Encodable {
        case `public`, `private`
    }

    /// What somebody is in a group, the lowest first.
    package enum Role: String, Sendable, CaseIterable, PostgresText, Encodable, Comparable {
        case member, moderator, owner

        private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
        package static func < (left: Role, right: Role) -> Bool { left.rank < right.rank }
    }

    /// How the directory is sorted.
    package enum Sort: String, Sendable, CaseIterable {
        case newest
        /// Most members first.
        case members
        /// Last active first.
        case active
        /// By name; with the beginning of one this alone.
        case name
    }

    /// A group as one viewer sees it.
    package struct Group: Hashable, Sendable {
        package let id: ID<Group>
        package let name: String
        /// Markdown, and the same rendered and safe.
        package internal(set) var about: String?
        package internal(set) var html: String?
        package let joining: Joining
        package let visibility: Openness
        package let members: Int
        /// What it reads now.
        package let book: Catalog.Book?
        package let version: Int
        package let createdAt: Timestamp
        /// To the minute.
        package let activeAt: Timestamp
        /// The viewer's; `nil` for viewers who are no members.
        package let role: Role?
        /// A moderator hides it from all but its owners.
        package let isHidden: Bool
        package let isInvited: Bool
        package let hasRequested: Bool
    }

    /// Somebody who is in a group.
    package struct Member: Hashable, Sendable, Encodable {
        package let reader: Accounts.Reader
        package let role: Role
        package let joinedAt: Timestamp

        package var key: Key { Key(at: joinedAt, id: reader.id) }
    }

    /// Who waits to be let in.
    package struct Application: Hashable, Sendable, Encodable {
        package let reader: Accounts.Reader
        package let requestedAt: Timestamp

        package var key: Key { Key(at: requestedAt, id: reader.id) }
    }

    /// Whom a group keeps out.
    package struct Ban: Hashable, Sendable, Encodable {
        package let reader: Accounts.Reader
        package let bannedAt: Timestamp

        package var key: Key { Key(at: bannedAt, id: reader.id) }
    }

    /// A group that somebody may join, because another invited them.
    package struct Invitation: Hashable, Sendable, Encodable {
        package let group: Group
        package let inviter: Accounts.Reader
        package let invitedAt: Timestamp
    }

    /// The order of members, of requests and, backwards, of bans.
    package struct Key: SortKey, Codable {
        package let at: Timestamp
        package let id: ID<Accounts.Account>

        package static let lowest = Key(at: Timestamp(microseconds: 0), id: .min)
        package static let highest = Key(at: .end, id: .max)
    }

    /// The place of a group in one of the orders of the directory.
    package struct Place: Hashable, Sendable, Codable {
        /// Members; 0 in other orders.
        package var rank: Int = 0
        /// In the order `active`, else the beginning of time.
        package var at = Timestamp(microseconds: 0)
        /// In the order `name`, else empty.
        package var name = ""
        package let id: ID<Group>
    }

    /// What came of wanting to join.
    package enum Joined: Hashable, Sendable {
        case entered(Group)
        /// Was one already.
        case member(Group)
        /// It waits for an answer.
        case pending(Group)
    }
}

extension Groups.Group {
    /// The same for a program whose access token joins groups and does not read them: nothing of what is said about it.
    package var withoutWords: Groups.Group {
        var copy = self
        (copy.about, copy.html) = (nil, nil)
        return copy
    }
}

extension Groups {
    /// A group where no more of it is told than its name.
    package struct Brief: Hashable, Sendable, Encodable {
        package let id: ID<Group>
        package let name: String
    }
}
