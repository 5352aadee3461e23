import Postgres

extension Accounts.Statements {
    // MARK: Verification

    struct InsertVerification: Statement {
        static let sql: SQL<Self> = """
            insert into email_verification (token_hash, account_id, email_folded, created_at, expires_at)
            values (\(\.digest), \(\.account), \(\.emailFolded), \(\.now), \(\.expiresAt))
            """
        let digest: Bytes, account: ID<Accounts.Account>, emailFolded: String, now: Timestamp, expiresAt: Timestamp
    }

    /// Whose a token is that still holds.
    struct FindVerification: Statement {
        static let sql: SQL<Self> =
            "select account_id from email_verification where token_hash = \(\.digest) and expires_at > \(\.now)"
        let digest: Bytes, now: Timestamp
        typealias Output = ID<Accounts.Account>
    }

    /// Uses up a token: of callers at the same time exactly one gets the row.
    struct UseVerification: Statement {
        static let sql: SQL<Self> = """
            delete from email_verification
             where token_hash = \(\.digest)
               and expires_at > \(\.now)
            returning account_id, email_folded
            """
        let digest: Bytes, now: Timestamp
        static func decode(_ columns: inout Columns) throws -> (account: ID<Accounts.Account>, emailFolded: String) {
            (try columns("account_id"), try columns("email_folded"))
        }
    }

    /// Forgets the other open tokens of an account.
    struct DropVerifications: Statement {
        static let sql: SQL<Self> = "delete from email_verification where account_id = \(\.account)"
        let account: ID<Accounts.Account>
    }

    /// Marks the address as proven, if it is still the account's.
    struct Verify: Statement {
        static let sql: SQL<Self> = """
            update account
               set verified_at = coalesce(verified_at, \(\.at))
             where id = \(\.account)
               and email_folded = \(\.emailFolded)
            """
        let account: ID<Accounts.Account>, emailFolded: String, at: Timestamp
    }

    /// The account of an address that is yet to be proven.
    struct FindUnverified: Statement {
        static let sql: SQL<Self> = """
            select id, username, email
              from account
             where email_folded = \(\.emailFolded)
               and verified_at is null
               and state in ('active', 'limited', 'frozen')
            """
        let emailFolded: String
        static func decode(_ columns: inout Columns) throws -> Accounts.Addressee {
            Accounts.Addressee(
                account: try columns("id"), username: try columns("username"), email: try columns("email"))
        }
    }

    struct SweepVerifications: Statement {
        static let sql: SQL<Self> = """
            delete from email_verification
             where token_hash in (select old.token_hash from email_verification old where old.expires_at <= \(\.now) limit \(\.limit))
            """
        let now: Timestamp, limit: Int
    }

    // MARK: Invitations

    struct InsertInvitation: Statement {
        static let sql: SQL<Self> = """
            insert into invitation (id, code_hash, max_uses, made_by, created_at, expires_at)
            values (\(\.id), \(\.digest), \(\.uses), \(\.maker), \(\.now), \(\.expiresAt))
            """
        let id: ID<Accounts.Invitation>, digest: Bytes, uses: Int, maker: String, now: Timestamp, expiresAt: Timestamp
    }

    /// Whether a code would let somebody in now. Advice: `UseInvitation` decides.
    struct FindInvitation: Statement {
        static let sql: SQL<Self> =
            "select id from invitation where code_hash = \(\.digest) and uses < max_uses and expires_at > \(\.now)"
        let digest: Bytes, now: Timestamp
        typealias Output = ID<Accounts.Invitation>
    }

    /// Uses one place of an invitation; no row where none is left.
    struct UseInvitation: Statement {
        static let sql: SQL<Self> = """
            update invitation
               set uses = uses + 1
             where code_hash = \(\.digest)
               and uses < max_uses
               and expires_at > \(\.now)
            returning id
            """
        let digest: Bytes, now: Timestamp
        typealias Output = ID<Accounts.Invitation>
    }

    // MARK: Throttles

    /// Counts one attempt in a window that began with the first, and gives the count and the window's end. A window
    /// that ends later than one that began a minute from now is over too: a server whose clock was ahead wrote it.
    struct Count: Statement {
        static let name = "accounts.count_attempt"
        static let sql: SQL<Self> = """
            insert into auth_attempt as old (key, count, started_at, blocked_until, expires_at)
            values (\(\.key), 1, \(\.now), \(\.now), \(\.windowEnd))
                on conflict (key) do update
               set (count, started_at, expires_at) = (
                       select case when is_over then 1 else old.count + 1 end,
                              case when is_over then \(\.now) else old.started_at end,
                              case when is_over then \(\.windowEnd) else old.expires_at end
                         from (select old.expires_at <= \(\.now) or old.expires_at > \(\.windowEnd) + interval '1 minute') as state (is_over))
            returning count, expires_at
            """
        let key: Bytes, now: Timestamp, windowEnd: Timestamp
        static func decode(_ columns: inout Columns) throws -> (count: Int64, until: Timestamp) {
            (try columns("count"), try columns("expires_at"))
        }
    }

    /// Takes one counted failure back, and the wait that it brought.
    struct Forgive: Statement {
        static let name = "accounts.forgive_attempt"
        static let sql: SQL<Self> = """
            update auth_attempt
               set count = greatest(count - 1, 0), blocked_until = least(blocked_until, \(\.now))
             where key = \(\.key)
            """
        let key: Bytes, now: Timestamp
    }

    /// Counts one failure before it has happened, so that a thousand guesses at the same instant are a thousand
    /// failures. No row while the account is blocked. A day without an attempt forgets what was before. After a free
    /// failure nobody waits, and nobody waits longer than the longest wait, whatever the clock said by which it was
    /// written.
    struct Fail: Statement {
        static let name = "accounts.fail_attempt"
        static let sql: SQL<Self> = """
            insert into auth_attempt (key, count, started_at, blocked_until, expires_at)
            values (\(\.key), 1, \(\.now), \(\.now), \(\.forgetAt))
                on conflict (key) do update
               set count = case when auth_attempt.expires_at <= \(\.now) then 1 else auth_attempt.count + 1 end,
                   started_at = case when auth_attempt.expires_at <= \(\.now) then \(\.now) else auth_attempt.started_at end,
                   blocked_until = case
                       when auth_attempt.expires_at <= \(\.now) or auth_attempt.count < \(\.free) then \(\.now)
                       else \(\.now) + least(\(\.longestWait)::float8, power(2::float8, least(auth_attempt.count - \(\.free), 30)::float8))
                                 * interval '1 second'
                   end,
                   expires_at = \(\.forgetAt)
             where auth_attempt.count <= \(\.free)
                or auth_attempt.blocked_until <= \(\.now)
                or auth_attempt.blocked_until > \(\.now) + \(\.longestWait)::float8 * interval '1 second' + interval '1 minute'
            returning count
            """
        let key: Bytes, now: Timestamp, forgetAt: Timestamp, free: Int, longestWait: Double
        typealias Output = Int64
    }

    struct BlockedUntil: Statement {
        static let sql: SQL<Self> = "select blocked_until from auth_attempt where key = \(\.key)"
        let key: Bytes
        typealias Output = Timestamp
    }

    /// Whether something is still remembered.
    struct KnownUntil: Statement {
        static let sql: SQL<Self> = "select expires_at from auth_attempt where key = \(\.key) and expires_at > \(\.now)"
        let key: Bytes, now: Timestamp
        typealias Output = Timestamp
    }

    /// Remembers something until then.
    struct Remember: Statement {
        static let sql: SQL<Self> = """
            insert into auth_attempt (key, count, started_at, blocked_until, expires_at)
            values (\(\.key), 1, \(\.now), \(\.now), \(\.until))
                on conflict (key) do update set expires_at = excluded.expires_at
            """
        let key: Bytes, now: Timestamp, until: Timestamp
    }

    /// Forgets the failures of an account whose owner has come in.
    struct Succeed: Statement {
        static let name = "accounts.succeed_attempt"
        static let sql: SQL<Self> = "delete from auth_attempt where key = \(\.key)"
        let key: Bytes
    }

    struct SweepAttempts: Statement {
        static let sql: SQL<Self> = """
            delete from auth_attempt
             where key in (select old.key from auth_attempt old where old.expires_at <= \(\.now) limit \(\.limit))
            """
        let now: Timestamp, limit: Int
    }
}
