/// What a code says to people.
extension ProblemCode {
    package struct Meaning: Sendable {
        package let code: ProblemCode
        /// The HTTP status.
        package let status: Int
        package let title: String
        /// One sentence: what happened, or what to do.
        package let sentence: String

        init(_ code: ProblemCode, _ status: Int, _ title: String, _ sentence: String) {
            (self.code, self.status, self.title, self.sentence) = (code, status, title, sentence)
        }
    }

    /// The codes by area, each area with its name.
    package static let areas: [(name: String, codes: [Meaning])] = [
        ("Answers of the server itself", server),
        ("Accounts", accounts),
        ("Readers among each other", readers),
        ("Catalogue", catalogue),
        ("Shelves, lists and places", shelves),
        ("Libraries and loans", lending),
        ("Boards, reviews and groups", talk),
        ("Moderation", moderation),
        ("Pictures", pictures),
        ("E-books", ebooks),
        ("Checks of the process itself", checks),
    ]

    private static let meanings = Dictionary(uniqueKeysWithValues: areas.flatMap(\.codes).map { ($0.code, $0) })

    /// A test holds that each code has one.
    package var meaning: Meaning {
        Self.meanings[self] ?? Meaning(self, 500, rawValue, "Nobody has said what this means.")
    }
}

extension ProblemCode {
    /// Answers of the server itself.
    static let server: [Meaning] = [
        Meaning(
            .unauthenticated, 401, "Sign in first", "The call carries no token, or one that opens nothing any more."),
        Meaning(
            .wrongCredentials, 401, "Name or password is wrong",
            "Name and password do not belong together, or the password is not the account's."),
        Meaning(
            .sessionRequired, 403, "An access token may not do this",
            "The call is for sessions alone: sign in with name and password."),
        Meaning(
            .insufficientScope, 403, "The access token does not allow this",
            "The access token lacks the scope that the call names."),
        Meaning(
            .hostNotAllowed, 403, "This server has another name",
            "The stream was asked for by a name that is not this server's."),
        Meaning(
            .originNotAllowed, 403, "This page may not open a stream",
            "The page stands at an origin that the server does not allow."),
        Meaning(
            .formExpired, 403, "This form has expired",
            "The form of a page belongs to another session, or to one that is over: open the page again."),
        Meaning(
            .ticketSpent, 401, "The ticket opens nothing",
            "The ticket was used, has run out, is another page's or was never given: ask for another."),
        Meaning(
            .badRequest, 400, "This is no request",
            "The bytes are no request of HTTP, or could be read in two ways; the connection is closed."),
        Meaning(
            .addressTooLong, 414, "The address is too long",
            "The path and its parameters have more bytes than the server reads; the connection is closed."),
        Meaning(
            .headersTooLong, 431, "The headers are too long",
            "The headers are too many or too long; the connection is closed."),
        Meaning(
            .versionUnknown, 505, "Another version of HTTP is expected",
            "The server speaks HTTP/1.1 and HTTP/1.0; the connection is closed."),
        Meaning(.notFound, 404, "Not found", "There is no such thing, or you may not see it."),
        Meaning(
            .methodNotAllowed, 405, "The address does not take this method",
            "The header `Allow` lists the methods that the address takes."),
        Meaning(.tooSlow, 408, "The body took too long", "The body did not arrive in time."),
        Meaning(.preconditionFailed, 412, "It has changed", "The thing is not as `If-Match` says: read it again."),
        Meaning(.payloadTooLarge, 413, "The body is too large", "The body has more bytes than the server reads."),
        Meaning(
            .unsupportedMediaType, 415, "Another type of body is expected",
            "The body is not of a type that the call takes."),
        Meaning(
            .misdirected, 421, "This server has another name",
            "The host of the call is not the one in the server's public address."),
        Meaning(
            .validation, 422, "Validation failed",
            "Some fields or parameters break rules: `errors` names each of them."),
        Meaning(.unknownField, 422, "There is no such field", "The body has a field that the call does not read."),
        Meaning(
            .unknownParameter, 422, "There is no such parameter",
            "The address has a parameter that the call does not read."),
        Meaning(.upgradeRequired, 426, "A WebSocket is expected", "The stream is opened with a WebSocket handshake."),
        Meaning(
            .quotaExceeded, 429, "Too many requests",
            "The caller did this too often: `Retry-After` says when to try again."),
        Meaning(
            .clientClosed, 499, "The caller has gone",
            "The caller closed the connection before its turn came; only logs show this."),
        Meaning(
            .internal, 500, "Something went wrong on the server",
            "The server met an error that nobody foresaw; the request id finds it in the log."),
        Meaning(.busy, 503, "The server is busy", "A bounded resource is full: `Retry-After` says when to try again."),
        Meaning(
            .unavailable, 503, "The server cannot answer now",
            "The database or another part is away for a moment: try again shortly."),
        Meaning(
            .invalidCursor, 400, "The cursor is not valid",
            "The cursor belongs to another list or filter, or was changed."),
        Meaning(.invalidJson, 400, "The body is not JSON", "The body is no JSON object."),
        Meaning(
            .incompleteBody, 400, "The body ended too early", "The connection ended before the whole body had come."),
        Meaning(.badHandshake, 400, "This is no handshake of a WebSocket", "The handshake breaks RFC 6455."),
        Meaning(
            .invalidIdempotencyKey, 400, "The Idempotency-Key is not valid",
            "The key is too short or too long, or has other characters than it may."),
        Meaning(
            .idempotencyInProgress, 409, "The same call is still being made",
            "Another call with this key has not ended: try again shortly."),
        Meaning(
            .idempotencyUnreadable, 409, "The stored answer cannot be read",
            "The call was done, and its answer was encrypted with a key that the server no longer has."),
        Meaning(
            .idempotencyGone, 410, "The call was done, and there is nothing left to show",
            "The call with this key was done; what it answered is gone."),
        Meaning(
            .idempotencyMismatch, 422, "This key belongs to another call",
            "The key was used for a call with another address or body."),
    ]

    /// Accounts.
    static let accounts: [Meaning] = [
        Meaning(.accountFrozen, 403, "This account is frozen", "A frozen account reads and does not write."),
        Meaning(.accountLimited, 403, "This account is limited", "A limited account does not change the catalogue."),
        Meaning(.accountNew, 403, "This account is too new", "An account does this only after its first day."),
        Meaning(
            .accountSuspended, 403, "This account is suspended",
            "A suspended account cannot be used: `reason` says why, `until` says how long."),
        Meaning(
            .awaitingApproval, 403, "This account waits for approval",
            "The owner of the server has not let the account in yet."),
        Meaning(
            .emailUnverified, 403, "Verify the e-mail address first",
            "A reader writes to others once the address is proven."),
        Meaning(
            .registrationClosed, 403, "This server takes no new readers",
            "The owner of the server has closed registration."),
        Meaning(.invitationNeeded, 403, "An invitation is needed", "One comes in here by invitation alone."),
        Meaning(.alreadyApproved, 409, "This account does not wait", "The account was approved before."),
        Meaning(.alreadySuspended, 409, "This account is suspended already", "The account was suspended before."),
        Meaning(.alreadyLimited, 409, "This account is limited already", "The account was limited before."),
        Meaning(.alreadyFrozen, 409, "This account is frozen already", "The account was frozen before."),
        Meaning(
            .alreadyActive, 409, "This account is active already", "Nothing is left to take back from the account."),
        Meaning(.notSuspended, 409, "This account is not suspended", "Only a suspended account is let in again."),
        Meaning(.suspended, 409, "This account is suspended", "End the suspension first."),
        Meaning(
            .lastOwner, 409, "The last owner stays",
            "A group, a library and a server each keep at least one owner: make another one first."),
        Meaning(.noMail, 409, "This server sends no mail", "The owner of the server has set up no mail."),
        Meaning(
            .renamedLately, 409, "The username changed lately", "A username changes once in a while, and not sooner."),
        Meaning(.tooManyTokens, 409, "Too many access tokens", "Revoke an access token first."),
        Meaning(.exportFailed, 409, "The export could not be made", "Ask for the export again."),
        Meaning(.notReady, 409, "The export is still being made", "Ask again in a while."),
    ]

    /// Readers among each other.
    static let readers: [Meaning] = [
        Meaning(.notFriends, 403, "You are not friends", "The call is for friends of the reader alone."),
        Meaning(.alreadyFriends, 409, "You are friends already", "There is nothing to ask for."),
        Meaning(
            .inboxFull, 409, "Too many requests wait there", "The reader has as many open requests as one may have."),
        Meaning(.tooManyFriends, 409, "Too many friends", "One of the two has as many friends as a reader may have."),
        Meaning(.tooManyRequests, 409, "Too many requests wait for an answer", "Withdraw a request first."),
        Meaning(.tooManyOpenRequests, 409, "Too many of your requests are open", "Withdraw a request first."),
        Meaning(.tooManyDismissals, 409, "Too many dismissed suggestions", "No more suggestions can be dismissed."),
        Meaning(.tooManyBlocks, 409, "Too many blocked readers", "Unblock a reader first."),
        Meaning(.tooManyMutes, 409, "Too many muted readers", "Unmute a reader first."),
        Meaning(.tooManyFollows, 409, "You follow too many things", "Unfollow something first."),
        Meaning(
            .tooManyWatched, 409, "Too many threads are followed or muted", "Stop following or muting a thread first."),
        Meaning(.notSender, 403, "The message is not yours", "Only its author changes a message."),
        Meaning(.messageDeleted, 409, "The message was deleted", "A deleted message is not changed."),
    ]
}
