import Postgres

extension Accounts {
    package static let statements: [any Statement.Type] =
        demonstrationStatements + credentialStatements + accessTokenStatements + departureStatements + [
            Statements.Identify.self, Statements.Living.self, Statements.Touch.self, Statements.Own.self,
            Statements.Profile.self, Statements.Taken.self, Statements.Insert.self, Statements.FindLogin.self,
            Statements.PasswordOf.self, Statements.Rehash.self, Statements.Lock.self, Statements.FindByName.self,
            Statements.SetState.self, Statements.SetRole.self, Statements.Approve.self, Statements.Erase.self,
            Statements.OtherOwners.self, Statements.Waiting.self, Statements.InsertSession.self,
            Statements.TrimSessions.self, Statements.Sessions.self, Statements.EndSession.self,
            Statements.EndSessions.self, Statements.InsertVerification.self, Statements.FindVerification.self,
            Statements.UseVerification.self,
            Statements.DropVerifications.self, Statements.Verify.self, Statements.FindUnverified.self,
            Statements.InsertInvitation.self, Statements.UseInvitation.self, Statements.FindInvitation.self,
            Statements.Count.self, Statements.Fail.self, Statements.Forgive.self, Statements.BlockedUntil.self,
            Statements.Succeed.self,
            Statements.SweepSessions.self, Statements.SweepVerifications.self, Statements.SweepAttempts.self,
            Statements.KnownUntil.self, Statements.Remember.self, Statements.EndAllSessions.self,
            Statements.Retire.self, Statements.SweepRetired.self,
        ]

    /// The SQL of accounts, sessions and codes.
    package enum Statements {}
}

extension Accounts.Statements {
    /// Who holds a token: one row, by the unique index on the hash, or none when the session is over or the account shut out.
    struct Identify: Statement {
        static let name = "accounts.identify"
        static let sql = """
            select session.id, session.last_used_at, account.id, account.username, account.role, account.state,
                   account.verified_at is not null, account.created_at
              from session
              join account on account.id = session.account_id
             where session.token_hash = $1
               and session.expires_at > $2
               and session.last_used_at > $3
               and account.state in ('active', 'limited', 'frozen')
               and account.approved_at is not null
            """
        let digest: Bytes
        let now: Timestamp
        /// Sessions that were last used before this are over.
        let idleSince: Timestamp
        func bind(to parameters: inout Parameters) {
            parameters.append(digest)
            parameters.append(now)
            parameters.append(idleSince)
        }
        static func decode(_ row: borrowing Row) throws -> Accounts.Identity {
            Accounts.Identity(
                account: try row[2], session: try row[0], username: try row[3], role: try row[4], state: try row[5],
                isVerified: try row[6], createdAt: try row[7], lastUsedAt: try row[1])
        }
    }

    /// Notes the use of a session, unless another request has noted it after `before`.
    struct Touch: Statement {
        static let name = "accounts.touch"
        static let sql = "update session set last_used_at = $2 where id = $1 and last_used_at <= $3"
        let session: ID<Accounts.Session>
        let now: Timestamp
        let before: Timestamp
        func bind(to parameters: inout Parameters) {
            parameters.append(session)
            parameters.append(now)
            parameters.append(before)
        }
    }

    /// An account as its owner sees it. `verified_at is not null` is the bare fact; the store adds what the server's mode says.
    struct Own: Statement {
        static let name = "accounts.own"
        static let sql = """
            select account.id, account.username, account.name, account.bio, account.email, account.verified_at is not null,
                   account.approved_at is not null, account.role, account.state, coalesce(friend_tally.friends, 0),
                   account.created_at, coalesce(reader_tally.comments, 0), coalesce(reader_tally.groups, 0)
              from account
              left join friend_tally on friend_tally.reader_id = account.id
              left join reader_tally on reader_tally.reader_id = account.id
             where account.id = $1
               and account.state <> 'deleted'
            """
        let account: ID<Accounts.Account>
        func bind(to parameters: inout Parameters) { parameters.append(account) }
        static func decode(_ row: borrowing Row) throws -> Accounts.Account {
            Accounts.Account(
                id: try row[0], username: try row[1], name: try row[2], bio: try row[3], email: try row[4],
                isVerified: try row[5],
                isApproved: try row[6], role: try row[7], state: try row[8], friends: Int(try row[9] as Int32),
                comments: Int(try row[11] as Int32), groups: Int(try row[12] as Int32), createdAt: try row[10])
        }
    }

    /// A reader's page, for whoever may see the reader. The relation is found by three primary or partial unique indexes.
    struct Profile: Statement {
        static let name = "accounts.profile"
        static let sql = """
            select account.id, account.username, \(Privacy.shown("account.name", .name, viewer: "$1", owner: "account.id")),
                   \(Privacy.shown("account.bio", .bio, viewer: "$1", owner: "account.id")),
                   coalesce(friend_tally.friends, 0), account.created_at,
                   case
                       when account.id = $1 then 'self'
                       when exists (select from friendship
                                     where friendship.reader_id = $1 and friendship.friend_id = account.id) then 'friends'
                       when exists (select from friend_request
                                     where friend_request.sender_id = $1 and friend_request.recipient_id = account.id
                                       and friend_request.state in ('pending', 'declined')) then 'requested'
                       when exists (select from friend_request
                                     where friend_request.sender_id = account.id and friend_request.recipient_id = $1
                                       and friend_request.state = 'pending') then 'asked'
                       else 'none'
                   end,
                   coalesce(reader_tally.comments, 0), coalesce(reader_tally.groups, 0),
                   \(Privacy.shown("true", .name, viewer: "$1", owner: "account.id")) is not null
              from account
              left join friend_tally on friend_tally.reader_id = account.id
              left join reader_tally on reader_tally.reader_id = account.id
             where account.username_folded = $2
               and \(Visibility.predicate(viewer: "$1", owner: "account.id", level: "3"))
            """
        let viewer: Viewer
        let folded: String
        func bind(to parameters: inout Parameters) {
            parameters.append(viewer)
            parameters.append(folded)
        }
        static func decode(_ row: borrowing Row) throws -> Accounts.Profile {
            Accounts.Profile(
                id: try row[0], username: try row[1], name: try row[2], bio: try row[3],
                friends: Int(try row[4] as Int32), comments: Int(try row[7] as Int32), groups: Int(try row[8] as Int32),
                createdAt: try row[5], relation: try row[6], showsPicture: try row[9])
        }
    }

    /// Whether a username is in use or still reserved, and whether an address is in use. Of names and addresses in use this is advice: the
    /// unique constraints decide.
    struct Taken: Statement {
        static let name = "accounts.taken"
        static let sql = """
            select exists (select from account where username_folded = $1)
                   or exists (select from retired_username where digest = $3 and until > $4),
                   exists (select from account where email_folded = $2)
            """
        let username: String
        let email: String
        let retired: Bytes
        let now: Timestamp
        func bind(to parameters: inout Parameters) {
            parameters.append(username)
            parameters.append(email)
            parameters.append(retired)
            parameters.append(now)
        }
        static func decode(_ row: borrowing Row) throws -> (username: Bool, email: Bool) { (try row[0], try row[1]) }
    }

    /// A new account. Violates `account_username_key` or `account_email_key` where somebody was first.
    struct Insert: Statement {
        static let name = "accounts.insert"
        static let sql = """
            insert into account (id, username, username_folded, email, email_folded, password_hash, name, bio, role, approved_at,
                                 verified_at, is_demo, invitation_id, created_at, state_at)
            values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $14)
            """
        let new: Accounts.NewAccount
        func bind(to parameters: inout Parameters) {
            parameters.append(new.id)
            parameters.append(new.username)
            parameters.append(Accounts.Username.fold(new.username))
            parameters.append(new.email)
            parameters.append(Accounts.Email.fold(new.email))
            parameters.append(new.password.text)
            parameters.append(new.name)
            parameters.append(new.bio)
            parameters.append(new.role)
            parameters.append(new.approvedAt)
            parameters.append(new.verifiedAt)
            parameters.append(new.isDemo)
            parameters.append(new.invitation)
            parameters.append(new.createdAt)
        }
    }

    /// The account that a log-in names, by username or by address: at most one, because a username has no `@`.
    struct FindLogin: Statement {
        static let name = "accounts.find_login"
        static let sql = """
            select id, password_hash, state, approved_at is not null
              from account
             where username_folded = $1
                or email_folded = $1
            """
        let folded: String
        func bind(to parameters: inout Parameters) { parameters.append(folded) }
        static func decode(_ row: borrowing Row) throws -> Accounts.Credentials {
            Accounts.Credentials(
                account: try row[0], hash: PasswordHash(stored: try row[1]), state: try row[2], isApproved: try row[3])
        }
    }

    /// The password hash of an account that is not deleted.
    struct PasswordOf: Statement {
        static let name = "accounts.password_of"
        static let sql = "select password_hash from account where id = $1 and state <> 'deleted'"
        let account: ID<Accounts.Account>
        func bind(to parameters: inout Parameters) { parameters.append(account) }
        static func decode(_ row: borrowing Row) throws -> PasswordHash { PasswordHash(stored: try row[0]) }
    }

    /// Replaces a hash that was made under older costs, unless the password has changed meanwhile.
    struct Rehash: Statement {
        static let name = "accounts.rehash"
        static let sql = "update account set password_hash = $3 where id = $1 and password_hash = $2"
        let account: ID<Accounts.Account>
        let old: PasswordHash
        let new: PasswordHash
        func bind(to parameters: inout Parameters) {
            parameters.append(account)
            parameters.append(old.text)
            parameters.append(new.text)
        }
    }

    /// Locks one account against everything else that changes it or its sessions. Deleted ones have no row here.
    struct Lock: Statement {
        static let name = "accounts.lock"
        static let sql = """
            select id, role, state, approved_at is not null, verified_at is not null, username, state_before
              from account
             where id = $1
               and state <> 'deleted'
               for no key update
            """
        let account: ID<Accounts.Account>
        func bind(to parameters: inout Parameters) { parameters.append(account) }
        static func decode(_ row: borrowing Row) throws -> Accounts.Standing { try Accounts.Standing(row) }
    }

    /// The account of a username, whatever its state, locked: for those who moderate, who see everyone.
    struct FindByName: Statement {
        static let name = "accounts.find_by_name"
        static let sql = """
            select id, role, state, approved_at is not null, verified_at is not null, username, state_before
              from account
             where username_folded = $1
               for no key update
            """
        let folded: String
        func bind(to parameters: inout Parameters) { parameters.append(folded) }
        static func decode(_ row: borrowing Row) throws -> Accounts.Standing { try Accounts.Standing(row) }
    }

    struct SetState: Statement {
        static let name = "accounts.set_state"
        static let sql = """
            update account
               set state = $2,
                   state_at = $3,
                   state_before = case when $2 not in ('suspended', 'leaving') then null
                                       when state in ('suspended', 'leaving') then state_before
                                       else state end
             where id = $1
            """
        let account: ID<Accounts.Account>
        let state: Accounts.State
        let at: Timestamp
        func bind(to parameters: inout Parameters) {
            parameters.append(account)
            parameters.append(state)
            parameters.append(at)
        }
    }

    struct SetRole: Statement {
        static let name = "accounts.set_role"
        static let sql = "update account set role = $2 where id = $1"
        let account: ID<Accounts.Account>
        let role: Accounts.Role
        func bind(to parameters: inout Parameters) {
            parameters.append(account)
            parameters.append(role)
        }
    }

    /// Lets a waiting account in; where no mail leaves the server, that also counts as proof of the address.
    struct Approve: Statement {
        static let name = "accounts.approve"
        static let sql = """
            update account
               set approved_at = $2,
                   verified_at = case when $3 then coalesce(verified_at, $2) else verified_at end
             where id = $1
               and approved_at is null
            """
        let account: ID<Accounts.Account>
        let at: Timestamp
        let verifies: Bool
        func bind(to parameters: inout Parameters) {
            parameters.append(account)
            parameters.append(at)
            parameters.append(verifies)
        }
    }

    /// Empties the row of everything personal. It never comes back.
    struct Erase: Statement {
        static let name = "accounts.erase"
        static let sql = """
            update account
               set state = 'deleted', state_at = $2, state_before = null, role = 'member',
                   username = null, username_folded = null, email = null, email_folded = null, password_hash = null,
                   name = null, bio = null, verified_at = null, invitation_id = null, renamed_at = null
             where id = $1
            """
        let account: ID<Accounts.Account>
        let at: Timestamp
        func bind(to parameters: inout Parameters) {
            parameters.append(account)
            parameters.append(at)
        }
    }

    /// Reserves the name of an account that ends.
    struct Retire: Statement {
        static let name = "accounts.retire"
        static let sql = """
            insert into retired_username (digest, until) values ($1, $2)
                on conflict (digest) do update set until = excluded.until
            """
        let digest: Bytes
        let until: Timestamp
        func bind(to parameters: inout Parameters) {
            parameters.append(digest)
            parameters.append(until)
        }
    }

    /// Sets names free again, at most `limit`; index `retired_username_until`.
    struct SweepRetired: Statement {
        static let name = "accounts.sweep_retired"
        static let sql = """
            delete from retired_username
             where digest in (select old.digest from retired_username old where old.until <= $1 limit $2)
            """
        let now: Timestamp
        let limit: Int
        func bind(to parameters: inout Parameters) {
            parameters.append(now)
            parameters.append(limit)
        }
    }

    /// Locks every owner, in the order of their identifiers, and gives those other than `account` that can still act.
    struct OtherOwners: Statement {
        static let name = "accounts.other_owners"
        static let sql = """
            select id
              from account
             where role = 'owner'
               and state in ('active', 'limited', 'frozen')
               and id <> $1
             order by id
               for no key update
            """
        let account: ID<Accounts.Account>
        func bind(to parameters: inout Parameters) { parameters.append(account) }
        static func decode(_ row: borrowing Row) throws -> ID<Accounts.Account> { try row[0] }
    }

    /// Accounts that wait for approval, oldest first; index `account_waiting`.
    struct Waiting: Statement {
        static let name = "accounts.waiting"
        static let sql = """
            select username, created_at
              from account
             where approved_at is null
               and state <> 'deleted'
             order by created_at, id
             limit $1
            """
        let limit: Int
        func bind(to parameters: inout Parameters) { parameters.append(limit) }
        static func decode(_ row: borrowing Row) throws -> (username: String, at: Timestamp) {
            (try row[0], try row[1])
        }
    }
}

extension Accounts.Standing {
    init(_ row: borrowing Row) throws {
        self.init(
            account: try row[0], username: try row[5], role: try row[1], state: try row[2], stateBefore: try row[6],
            isApproved: try row[3], isVerified: try row[4])
    }
}
