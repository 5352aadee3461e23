import Community
import Cryptography
import HTTPTypes
import Hummingbird
import JSONWriting
import NIOCore
import Postgres

/// Unsafe calls that may be repeated without being done twice.
///
/// With an `Idempotency-Key` (1 to 255 visible ASCII characters, quotes around it allowed) the key's row, the write and the stored reply are
/// one transaction, kept 24 hours. The same call again gets the stored reply, byte for byte but for the shelves of books (`Reply.filled`), and `Idempotency-Replayed: true`; the same
/// key with another body gets 422 `idempotency_mismatch`; while the first is still at work the second waits, and after 2 s
/// gets 409 `idempotency_in_progress`. A refused call (whatever throws) stores nothing and is judged anew when
/// it is repeated. Keys belong to the account, method and path; those of anonymous calls also to the body; those of calls that end their own
/// session to its token instead of the account, so that they are known when nobody is signed in any more. For an access token its scopes
/// count as part of the body: with others, or none, the key is another call's. Replies that carry a token are stored encrypted.
///
/// **What others wrote** is in no stored reply: their message, their post on a card, their group's page, their name. Of
/// such a reply only the status and the `Location` are kept, and a repeated call reads it anew (`again` of `write`): it
/// gets what its caller may see by then, in the state that it is in by then. Where that is nothing, because it was
/// deleted or because its author blocked the caller, it gets 410 `idempotency_gone`: the call was done, once, and there
/// is nothing left to show.
package enum Idempotency: Recounting {
    /// Hours that a reply is kept.
    package static let hours = 24
    package static let keyLength = 1...255
    /// How long a call waits for another with the same key that is still at work, as Postgres writes it.
    static let patience = "2s"

    /// Forgets every answer to an account that ends, in the transaction that ends it.
    package static let ending: Accounts.Ending = { account, transaction in
        try await transaction.run(Forget(account: account))
    }
}

extension SiteContext {
    /// Runs `body` as one unsafe call, under the request's `Idempotency-Key` where it has one.
    ///
    /// Everything that `body` writes is one transaction with the key's row, and is undone when it throws. What must outlast a refusal
    /// (counting failed log-ins) and what is slow (hashing) therefore belongs before this call. `body` may run more than once,
    /// after a serialisation failure: it must have no effect outside the database.
    ///
    /// `again` is there where the reply shows what others wrote, which is never stored. It answers for `body` when that
    /// has been done: reads as `GET` does, has no effect, and throws `Failure.notFound` or `.forbidden` for what the
    /// caller may see no longer.
    ///
    /// `stillHolds` is there where the reply opens something that ends, as a session does. It throws `Problem.doneAndGone` for
    /// a stored reply that is worthless by now.
    package func write(
        _ request: Request, again: (@Sendable (DoneCall) async throws -> Reply)? = nil,
        stillHolds: (@Sendable (Reply) async throws -> Void)? = nil,
        _ body: @escaping @Sendable () async throws -> Reply
    ) async throws -> Reply {
        guard let header = request.headers[.idempotencyKey] else { return try await body() }
        let call = try IdempotentCall(key: header, request: request, context: self)
        return try await community.services.database.transaction { transaction in
            guard try await call.claim(in: transaction) else {
                let stored = try await call.replay(in: transaction)
                try await stillHolds?(stored)
                guard let again else { return stored }
                return try await stored.shown(again: again)
            }
            let reply = try await body()
            try await call.store(again == nil ? reply : reply.bare, in: transaction)
            return reply
        }
    }

    /// Throws where the call names a key that is none: for a call that needs none, since twice is once.
    func checkKey(of request: Request) throws {
        guard let header = request.headers[.idempotencyKey] else { return }
        _ = try IdempotentCall(key: header, request: request, context: self)
    }

    /// The answer that is kept for this very call, for one whose own session is over; `nil` where there is none.
    func storedReply(to request: Request) async throws -> Reply? {
        guard let header = request.headers[.idempotencyKey] else { return nil }
        return try await IdempotentCall(key: header, request: request, context: self).storedReply(
            in: community.services.database)
    }
}

/// One call with its key.
private struct IdempotentCall: Sendable {
    let digest: [UInt8]
    let fingerprint: [UInt8]
    let account: ID<Accounts.Account>?
    let secret: SecretKey

    init(key header: String, request: Request, context: SiteContext) throws {
        var key = header[...]
        if key.count >= 2, key.first == "\"", key.last == "\"" { key = key.dropFirst().dropLast() }
        guard Idempotency.keyLength.contains(key.utf8.count), key.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw Problem(
                .invalidIdempotencyKey, "1 to 255 visible ASCII characters are taken.")
        }
        self.secret = context.community.services.settings.secret
        self.fingerprint = secret.sign(Self.said(in: context), for: .fingerprint)
        self.account = context.tokenDigest == nil ? context.identity?.account : nil
        let owner = account?.text ?? context.tokenDigest.map { "token " + $0.base64URL } ?? "anonymous"
        // However the path is written: `/lists/` and `//api/v1/lists` reach the same route.
        var parts = [owner, request.method.rawValue, context.meantPath, String(key)].joined(separator: "\n")
            .utf8.map(\.self)
        if owner == "anonymous" { parts += fingerprint }
        self.digest = SHA256.hash(parts)
    }

    /// The body, and what an access token may do. A session, which may everything, adds nothing.
    private static func said(in context: SiteContext) -> [UInt8] {
        let body = Array(context.body.readableBytesView)
        guard let scopes = context.identity?.scopes else { return body }
        return body + [0] + scopes.sorted().map(\.description).joined(separator: " ").utf8
    }

    /// True where this call is the first. Waits for another that is at work with the same key.
    func claim(in transaction: Transaction) async throws -> Bool {
        do {
            return try await transaction.run(
                Idempotency.Claim(digest: digest, account: account, fingerprint: fingerprint)) == 1
        } catch let error as PostgresError where error.sqlState == .lockNotAvailable {
            throw Problem(
                .idempotencyInProgress, "Ask again with the same key."
            ).retry(after: .seconds(1))
        }
    }

    func replay(in transaction: Transaction) async throws -> Reply {
        // Run out between the two statements: nobody remembers it any more.
        guard let reply = try await storedReply(in: transaction) else { throw Problem.unavailable }
        return reply
    }

    /// `nil` where nothing is kept under this key.
    func storedReply(in queryable: some Queryable) async throws -> Reply? {
        guard let stored = try await queryable.first(Idempotency.Stored(digest: digest)), let status = stored.status
        else { return nil }
        guard stored.fingerprint == fingerprint else {
            throw Problem(
                .idempotencyMismatch,
                "The Idempotency-Key was sent before with another body, or by a token of other scopes.")
        }
        guard let body = stored.isSealed ? secret.open(stored.body, for: .reply, context: digest) : stored.body else {
            throw Problem(
                .idempotencyUnreadable, "It was sealed under another secret.")
        }
        var headers = HTTPFields()
        if case .array(let pairs) = try JSONValue.parse(stored.headers).value {
            for case .array(let pair) in pairs {
                guard case .string(let name)? = pair.first, case .string(let value)? = pair.last,
                    let field = HTTPField.Name(name)
                else { continue }
                headers.append(HTTPField(name: field, value: value))
            }
        }
        headers[.idempotencyReplayed] = "true"
        let reply = Reply(status: .init(code: status), headers: headers, content: .bytes(ByteBuffer(bytes: body)))
        return stored.isSealed ? reply.sealed : reply
    }

    func store(_ reply: Reply, in transaction: Transaction) async throws {
        guard case .bytes(let buffer) = reply.content else { return }
        let plain = Array(buffer.readableBytesView)
        let body = reply.isSealed ? secret.seal(plain, for: .reply, context: digest) : plain
        let headers = try JSONWriter.bytes(reply.headers.map { [$0.name.canonicalName, $0.value] })
        try await transaction.run(
            Idempotency.Store(
                digest: digest, status: reply.status.code, headers: headers, body: body, isSealed: reply.isSealed))
    }
}
