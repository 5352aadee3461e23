import Postgres

extension Accounts {
    /// The SQL of accounts, sessions and codes.
    package enum Statements {}
}

extension Accounts.Statements {
    /// Who holds a token: one row, by the unique index on the hash, or none when the session is over or the account
    /// shut out.
    struct Identify: Statement {
        static let sql: SQL<Self> = """
            select account.id as account, session.id, account.username, account.role, account.state,
                   account.verified_at is not null as is_verified, account.created_at, session.last_used_at
              from session
              join account on account.id = session.account_id
             where session.token_hash = \(\.digest)
               and session.expires_at > \(\.now)
               and session.last_used_at > \(\.idleSince)
               and account.state in ('active', 'limited', 'frozen')
               and account.approved_at is not null
            """
        let digest: Bytes, now: Timestamp
        /// Sessions that were last used before this are over.
        let idleSince: Timestamp
        static func decode(_ columns: inout Columns) throws -> Accounts.Identity {
            Accounts.Identity(
                account: try columns("account"), session: try columns("id"), username: try columns("username"),
                role: try columns("role"), state: try columns("state"), isVerified: try columns("is_verified"),
                createdAt: try columns("created_at"), lastUsedAt: try columns("last_used_at"), scopes: nil)
        }
    }

    /// Notes the use of a session, unless another request has noted it after `before`.
    struct Touch: Statement {
        static let sql: SQL<Self> =
            "update session set last_used_at = \(\.now) where id = \(\.session) and last_used_at <= \(\.before)"
        let session: ID<Accounts.Session>, now: Timestamp, before: Timestamp
    }

    /// Somebody by username, unless the account has ended.
    struct Named: Statement {
        static let sql: SQL<Self> = "select id from account where username_folded = \(\.folded) and state <> 'deleted'"
        let folded: String
        typealias Output = ID<Accounts.Account>
    }

    /// An account as its owner sees it. `verified_at is not null` is the bare fact; the store adds what the server's
    /// mode says.
    struct Own: Statement {
        static let sql: SQL<Self> = """
            select account.id, account.username, account.name, account.bio, account.email,
                   account.verified_at is not null as is_verified, account.approved_at is not null as is_approved,
                   account.role, account.state, coalesce(friend_tally.friends, 0) as friends,
                   coalesce(reader_tally.comments, 0) as comments, coalesce(reader_tally.groups, 0) as groups,
                   account.created_at, coalesce(account.time_zone, 'UTC') as time_zone
              from account
              left join friend_tally on friend_tally.reader_id = account.id
              left join reader_tally on reader_tally.reader_id = account.id
             where account.id = \(\.account)
               and account.state <> 'deleted'
            """
        let account: ID<Accounts.Account>
        static func decode(_ columns: inout Columns) throws -> Accounts.Account {
            Accounts.Account(
                id: try columns("id"), username: try columns("username"), name: try columns("name"),
                bio: try columns("bio"), email: try columns("email"), isVerified: try columns("is_verified"),
                isApproved: try columns("is_approved"), role: try columns("role"), state: try columns("state"),
                friends: try columns("friends"), comments: try columns("comments"), groups: try columns("groups"),
                createdAt: try columns("created_at"), timeZone: try columns("time_zone"))
        }
    }

    /// A reader's page, for viewers who may see the reader. The relation is found by three primary or partial unique
    /// indexes.
    struct Profile: Statement, ForViewer {
        static let sql: SQL<Self> = """
            select account.id, account.username,
                   \(Privacy.shown("account.name", .name, viewer: .viewer, owner: "account.id")) as name,
                   \(Privacy.shown("account.bio", .bio, viewer: .viewer, owner: "account.id")) as bio,
                   coalesce(friend_tally.friends, 0) as friends, coalesce(reader_tally.comments, 0) as comments,
                   coalesce(reader_tally.groups, 0) as groups, account.created_at, case
                       when account.id = \(\.viewer) then 'self'
                       when exists (select from friendship
                                     where friendship.reader_id = \(\.viewer) and friendship.friend_id = account.id) then 'friends'
                       when request.sent is not null then 'requested'
                       when request.received is not null then 'asked'
                       else 'none'
                   end as relation, coalesce(request.sent, request.received) as friend_request,
                   \(Privacy.shown("true", .name, viewer: .viewer, owner: "account.id")) is not null as shows_picture
              from account
              left join friend_tally on friend_tally.reader_id = account.id
              left join reader_tally on reader_tally.reader_id = account.id
              left join lateral (select (select id from friend_request
                                          where sender_id = \(\.viewer) and recipient_id = account.id
                                            and friend_request.state in ('pending', 'declined')) as sent,
                                        (select id from friend_request
                                          where sender_id = account.id and recipient_id = \(\.viewer)
                                            and friend_request.state = 'pending') as received) request on true
             where account.username_folded = \(\.folded)
               and \(Visibility.predicate(viewer: .viewer, owner: "account.id", level: "3"))
            """
        let viewer: Viewer, folded: String
        static func decode(_ columns: inout Columns) throws -> Accounts.Profile {
            Accounts.Profile(
                id: try columns("id"), username: try columns("username"), name: try columns("name"),
                bio: try columns("bio"), friends: try columns("friends"), comments: try columns("comments"),
                groups: try columns("groups"), createdAt: try columns("created_at"),
                relation: try columns("relation"), friendRequest: try columns("friend_request"),
                showsPicture: try columns("shows_picture"))
        }
    }

    /// Whether a username is in use or still reserved, and whether an address is in use. Of names and addresses in use
    /// this is advice: the unique constraints decide.
    struct Taken: Statement {
        static let sql: SQL<Self> = """
            select exists (select from account where username_folded = \(\.username))
                   or exists (select from retired_username where digest = \(\.retired) and until > \(\.now)) as username,
                   exists (select from account where email_folded = \(\.email)) as email
            """
        let username: String, email: String, retired: Bytes, now: Timestamp
        static func decode(_ columns: inout Columns) throws -> (username: Bool, email: Bool) {
            (try columns("username"), try columns("email"))
        }
    }

    /// A new account. Violates `account_username_key` or `account_email_key` where somebody was first.
    struct Insert: Statement {
        static let sql: SQL<Self> = """
            insert into account (id, username, username_folded, email, email_folded, password_hash, name, bio, role, approved_at,
                                 verified_at, is_demo, invitation_id, created_at, state_at)
            values (\(\.new.id), \(\.new.username), \(\.usernameFolded, "usernameFolded"), \(\.new.email), \(\.emailFolded, "emailFolded"), \(\.new.password.text), \(\.new.name), \(\.new.bio), \(\.new.role), \(\.new.approvedAt), \(\.new.verifiedAt), \(\.new.isDemo), \(\.new.invitation), \(\.new.createdAt), \(\.new.createdAt))
            """
        let new: Accounts.NewAccount
        private var emailFolded: String { Accounts.Email.fold(new.email) }
        private var usernameFolded: String { Accounts.Username.fold(new.username) }
    }

    /// The account that a log-in names, by username or by address: at most one, because a username has no `@`.
    struct FindLogin: Statement {
        static let sql: SQL<Self> = """
            select id, password_hash, state, approved_at is not null as is_approved
              from account
             where username_folded = \(\.folded)
                or email_folded = \(\.folded)
            """
        let folded: String
        static func decode(_ columns: inout Columns) throws -> Accounts.Credentials {
            Accounts.Credentials(
                account: try columns("id"), hash: PasswordHash(stored: try columns("password_hash")),
                state: try columns("state"), isApproved: try columns("is_approved"))
        }
    }

    /// The last suspension of an account; index `moderation_action_of_subject`.
    struct WhySuspended: Statement {
        static let sql: SQL<Self> = """
            select reason, expires_at
              from moderation_action
             where subject_kind = 'account'
               and subject_id = \(\.account)
               and action = 'account.suspend'
             order by id desc
             limit 1
            """
        let account: ID<Accounts.Account>
        static func decode(_ columns: inout Columns) throws -> Accounts.Suspended {
            Accounts.Suspended(reason: try columns("reason"), until: try columns("expires_at"))
        }
    }

    /// The password hash of an account that is not deleted.
    struct PasswordOf: Statement {
        static let sql: SQL<Self> = "select password_hash from account where id = \(\.account) and state <> 'deleted'"
        let account: ID<Accounts.Account>
        static func decode(_ columns: inout Columns) throws -> PasswordHash {
            PasswordHash(stored: try columns("password_hash"))
        }
    }

    /// Replaces a hash that was made under older costs, unless the password has changed meanwhile.
    struct Rehash: Statement {
        static let sql: SQL<Self> =
            "update account set password_hash = \(\.new.text) where id = \(\.account) and password_hash = \(\.old.text)"
        let account: ID<Accounts.Account>, old: PasswordHash, new: PasswordHash
    }

    /// Locks one account against everything else that changes it or its sessions. Deleted ones have no row here.
    struct Lock: Statement {
        static let sql: SQL<Self> = """
            select id, username, role, state, state_before, approved_at is not null as is_approved, verified_at is not null as is_verified
              from account
             where id = \(\.account)
               and state <> 'deleted'
               for no key update
            """
        let account: ID<Accounts.Account>
        typealias Output = Accounts.Standing
    }

    /// The account of a username, whatever its state, locked: for those who moderate, who see everyone.
    struct FindByName: Statement {
        static let sql: SQL<Self> = """
            select id, username, role, state, state_before, approved_at is not null as is_approved, verified_at is not null as is_verified
              from account
             where username_folded = \(\.folded)
               for no key update
            """
        let folded: String
        typealias Output = Accounts.Standing
    }

    /// What members see of an account before and after a change.
    private static let sight: Fragment = """
        former.reach >= \(Visibility.members.rawValue) as was_seen, account.reach >= \(Visibility.members.rawValue) as is_seen
        """

    /// Of an account that is locked.
    struct SetState: Statement {
        static let sql: SQL<Self> = """
            update account
               set state = \(\.state),
                   state_at = \(\.at),
                   state_before = case when \(\.state) not in ('suspended', 'leaving') then null
                                       when account.state in ('suspended', 'leaving') then account.state_before
                                       else account.state end
              from (select reach from account where id = \(\.account)) former
             where account.id = \(\.account)
            returning \(sight)
            """
        let account: ID<Accounts.Account>, state: Accounts.State, at: Timestamp
        typealias Output = Accounts.Sight
    }

    struct SetRole: Statement {
        static let sql: SQL<Self> = "update account set role = \(\.role) where id = \(\.account)"
        let account: ID<Accounts.Account>, role: Accounts.Role
    }

    /// Lets a waiting account in; where no mail leaves the server, that also counts as proof of the address.
    struct Approve: Statement {
        static let sql: SQL<Self> = """
            update account
               set approved_at = \(\.at),
                   verified_at = case when \(\.verifies) then coalesce(verified_at, \(\.at)) else verified_at end
             where id = \(\.account)
               and approved_at is null
            """
        let account: ID<Accounts.Account>, at: Timestamp, verifies: Bool
    }

    /// Empties the row of everything personal. It never comes back.
    struct Erase: Statement {
        static let sql: SQL<Self> = """
            update account
               set state = 'deleted', state_at = \(\.at), state_before = null, role = 'member',
                   username = null, username_folded = null, email = null, email_folded = null, password_hash = null,
                   name = null, bio = null, verified_at = null, invitation_id = null, renamed_at = null,
                   time_zone = null
              from (select reach from account where id = \(\.account)) former
             where account.id = \(\.account)
            returning \(sight)
            """
        let account: ID<Accounts.Account>, at: Timestamp
        typealias Output = Accounts.Sight
    }

    /// Reserves the name of an account that ends.
    struct Retire: Statement {
        static let sql: SQL<Self> = """
            insert into retired_username (digest, until) values (\(\.digest), \(\.until))
                on conflict (digest) do update set until = excluded.until
            """
        let digest: Bytes, until: Timestamp
    }

    /// Sets names free again, at most `limit`; index `retired_username_until`.
    struct SweepRetired: Statement {
        static let sql: SQL<Self> = """
            delete from retired_username
             where digest in (select old.digest from retired_username old where old.until <= \(\.now) limit \(\.limit))
            """
        let now: Timestamp, limit: Int
    }

    /// Locks every owner, in the order of their identifiers, and gives those other than `account` that can still act.
    struct OtherOwners: Statement {
        static let sql: SQL<Self> = """
            select id
              from account
             where role = 'owner'
               and state in ('active', 'limited', 'frozen')
               and id <> \(\.account)
             order by id
               for no key update
            """
        let account: ID<Accounts.Account>
        typealias Output = ID<Accounts.Account>
    }

    /// Accounts that wait for approval, oldest first; index `account_waiting`.
    struct Waiting: Statement {
        static let sql: SQL<Self> = """
            select username, created_at
              from account
             where approved_at is null
               and state <> 'deleted'
             order by created_at, id
             limit \(\.limit)
            """
        let limit: Int
        static func decode(_ columns: inout Columns) throws -> (username: String, at: Timestamp) {
            (try columns("username"), try columns("created_at"))
        }
    }
}

extension Accounts.Standing: RowReadable {
    init(_ columns: inout Columns) throws {
        self.init(
            account: try columns("id"), username: try columns("username"), role: try columns("role"),
            state: try columns("state"), stateBefore: try columns("state_before"),
            isApproved: try columns("is_approved"), isVerified: try columns("is_verified"))
    }
}

extension Accounts.Reader: RowReadable {
    /// The columns that `init` reads, of the account in scope as `account`: its name and picture as far as the viewer
    /// may see them.
    static func columns<S: ForViewer>(of account: Fragment) -> SQL<S> { columns(of: account, for: .viewer) }

    /// The same for a statement that names its viewer otherwise.
    static func columns<S>(of account: Fragment, for viewer: SQL<S>) -> SQL<S> {
        "\(account).id, \(account).username, \(shown(of: account, to: viewer)) as shown"
    }

    /// The last of them: null where the viewer may not see the name.
    static func shown<S>(of account: Fragment, to viewer: SQL<S>) -> SQL<S> {
        Privacy.shown(both(of: account), .name, viewer: viewer, owner: "\(account).id")
    }

    /// The columns that `init` reads as far as everybody is told of them who may see the rest: see `Privacy.told`.
    static func told<S>(of account: Fragment) -> SQL<S> {
        "\(account).id, \(account).username, \(Privacy.told(both(of: account), owner: "\(account).id")) as shown"
    }

    /// Who sees the name sees the picture: one question for both.
    private static func both<S>(of account: Fragment) -> SQL<S> {
        "array[coalesce(\(account).name, ''), coalesce(\(picture(of: "\(account).id")), '')]"
    }

    /// SQL: the picture of an account as `Accounts.Picture` reads it, where `viewer` may see the name; else null. Who may
    /// see is asked of those alone who show a picture. Three primary keys.
    static func picture<S>(of account: SQL<S>, for viewer: SQL<S>) -> SQL<S> {
        let owner: SQL<S> = "seen_picture.account_id"
        return picture(
            of: account,
            where: "and \(Visibility.predicate(viewer: viewer, owner: owner, level: Privacy.level(.name, of: owner)))")
    }

    private static func picture<S>(of account: SQL<S>, where condition: SQL<S> = "") -> SQL<S> {
        """
        (select encode(seen_file.hash, 'hex') || coalesce(seen.alt, '')
                   from account_picture seen_picture
                   join picture seen on seen.id = seen_picture.picture_id
                   join picture_variant seen_file on seen_file.picture_id = seen.id and seen_file.width = \(Accounts.Picture.width)
                  where seen_picture.account_id = \(account)
                    and seen.hidden_at is null
                    \(condition))
        """
    }

    /// Reads the columns `id`, `username` and `shown`: name and picture, each empty where there is none.
    package init(_ columns: inout Columns) throws {
        let (id, username): (ID<Accounts.Account>, String) = (try columns("id"), try columns("username"))
        let shown: [String] = try columns("shown") ?? []
        self.init(
            id: id, username: username, name: shown.first.flatMap { $0.isEmpty ? nil : $0 },
            picture: shown.dropFirst().first.flatMap(Accounts.Picture.init(text:)))
    }
}

extension Accounts.Picture {
    /// Reads what `Accounts.Reader.picture` gives: the 64 digits of the file's name and behind them what it shows. `nil`
    /// for no text.
    init?(text: String) {
        guard text.utf8.count >= 64 else { return nil }
        hash = String(text.prefix(64))
        let words = text.dropFirst(64)
        alt = words.isEmpty ? nil : String(words)
    }
}
