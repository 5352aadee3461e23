import Community
import Postgres

extension Idempotency {
    /// Takes the key: 1 row where it was free or had expired, 0 where another call holds it. Waits while that call is at work, for
    /// `Idempotency.patience` at most, which from then on is the transaction's lock timeout: 55P03 beyond.
    struct Claim: Statement {
        static let name = "web.claim_idempotency_key"
        static let sql: SQL<Self> = """
              with patience as (select set_config('lock_timeout', \(\.patience, "patience"), true))
            insert into idempotency_key (digest, account_id, fingerprint, expires_at)
            select \(\.digest, as: Bytes.self), \(\.account), \(\.fingerprint, as: Bytes.self), now() + \(\.hours, "hours") * interval '1 hour'
              from patience
                on conflict (digest) do update
               set fingerprint = excluded.fingerprint,
                   status = null,
                   headers = null,
                   body = null,
                   is_sealed = false,
                   created_at = now(),
                   expires_at = excluded.expires_at
             where idempotency_key.expires_at <= now()
            """
        let digest: [UInt8], account: ID<Accounts.Account>?, fingerprint: [UInt8]

        private var hours: Int { Idempotency.hours }
        private var patience: String { Idempotency.patience }
    }

    /// The answer that is kept under a key.
    struct Stored: Statement {
        struct Output: Sendable {
            let fingerprint: [UInt8]
            let status: Int?
            let headers: [UInt8]
            let body: [UInt8]
            let isSealed: Bool
        }

        static let name = "web.stored_reply"
        static let sql: SQL<Self> = """
            select fingerprint, status, coalesce(headers, '[]') as headers, coalesce(body, '') as body, is_sealed
              from idempotency_key
             where digest = \(\.digest, as: Bytes.self)
               and expires_at > now()
            """
        let digest: [UInt8]

        static func decode(_ columns: inout Columns) throws -> Output {
            Output(
                fingerprint: try (columns("fingerprint") as Bytes).bytes, status: try columns("status"),
                headers: try (columns("headers") as JSON).bytes, body: try (columns("body") as Bytes).bytes,
                isSealed: try columns("is_sealed"))
        }
    }

    /// Keeps the answer under a key that this transaction has claimed.
    struct Store: Statement {
        static let name = "web.store_reply"
        static let sql: SQL<Self> = """
            update idempotency_key
               set status = \(\.status),
                   headers = \(\.list, "headers"),
                   body = \(\.body, as: Bytes.self),
                   is_sealed = \(\.isSealed)
             where digest = \(\.digest, as: Bytes.self)
            """
        let digest: [UInt8], status: Int, headers: [UInt8], body: [UInt8], isSealed: Bool
        private var list: JSON { JSON(bytes: headers) }
    }

    /// Removes what has expired, at most 10,000 rows. Served by `idempotency_key_expiry`.
    struct Sweep: Statement {
        static let batch = 10_000
        static let name = "web.sweep_idempotency_keys"
        static let sql: SQL<Self> = """
            delete from idempotency_key
             where digest in (select digest
                                from idempotency_key
                               where expires_at <= now()
                               order by expires_at
                               limit 10000
                                 for update skip locked)
            """
    }

    /// Removes the answers to one account; index `idempotency_key_of_account`.
    struct Forget: Statement {
        static let name = "web.forget_replies"
        static let sql: SQL<Self> = "delete from idempotency_key where account_id = \(\.account)"
        let account: ID<Accounts.Account>
    }
}

extension Idempotency {
    package static let personalTables: [PersonalTable] = [
        // Answers that are kept for a repeated call.
        .init(
            "idempotency_key", owner: "t.account_id", unexported: "Copies of answers that the reader got, kept a day.")
    ]

    package static let recounts: [Recount] = [
        Recount(
            "remains", "No answer to a deleted account is kept.",
            """
            select 'account ' || account.id || ' is deleted and has ' || count(*) || ' stored replies'
              from account
              join idempotency_key on idempotency_key.account_id = account.id
             where account.state = 'deleted'
             group by account.id
            """)
    ]
}
