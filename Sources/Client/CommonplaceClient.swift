import FoundationEssentials

/// A client of one Commonplace server: the calls of its API, and its live stream.
///
/// ```swift
/// let server = try CommonplaceClient("https://books.example.org")
/// let ann = try await server.logIn("ann", password: password).client
/// for book in try await ann.search("middlemarch") { print(book.title) }
/// ```
///
/// A value: `signedIn(with:)` gives a copy that speaks for a session. Calls throw `ClientError`. Every call that changes something carries an
/// `Idempotency-Key`, so it is repeated by itself where the connection broke before an answer came, and is done once all the same.
public struct CommonplaceClient: Sendable {
    let address: ServerAddress
    let transport: HTTPTransport
    /// The session's token; `nil` for a client that is not signed in.
    public let token: String?

    /// - Parameters:
    ///   - address: `http://` or `https://`, host, optional port; whatever path it has stands before `/api/v1`.
    ///   - timeout: How long one call may take.
    /// Throws `ClientError.badAddress`.
    public init(_ address: String, token: String? = nil, timeout: Duration = .seconds(30)) throws(ClientError) {
        self.address = try ServerAddress(address)
        self.transport = HTTPTransport(self.address, timeout: timeout)
        self.token = token
    }

    private init(_ other: CommonplaceClient, token: String?) {
        self.address = other.address
        self.transport = other.transport
        self.token = token
    }

    /// The same client, speaking for the session of `token`.
    public func signedIn(with token: String?) -> CommonplaceClient { CommonplaceClient(self, token: token) }
}

// MARK: - Calls

extension CommonplaceClient {
    /// What the server says about itself: `GET /api/v1/server`.
    public func server() async throws -> JSONValue { try await get("/server") }

    /// Makes an account and opens its first session. Throws `ClientError.awaitsApproval` where the account was made and a moderator has to
    /// approve it first.
    public func register(
        username: String, email: String, password: String, name: String? = nil, invitation: String? = nil
    ) async throws -> SignedIn {
        let body: JSONValue = [
            "username": .string(username), "email": .string(email), "email_confirmation": .string(email),
            "password": .string(password), "password_confirmation": .string(password), "name": .init(name),
            "invitation": .init(invitation),
        ]
        return try await signIn("/accounts", body.withoutNulls)
    }

    /// Opens a session. `login` is a username or an e-mail address.
    public func logIn(_ login: String, password: String) async throws -> SignedIn {
        try await signIn("/sessions", ["login": .string(login), "password": .string(password)])
    }

    private func signIn(_ path: String, _ body: JSONValue) async throws -> SignedIn {
        struct Answer: Decodable {
            let account: Account
            let token: String?
        }
        let answer: Answer = try await change(.post, path, body)
        guard let token = answer.token else { throw ClientError.awaitsApproval(answer.account) }
        return SignedIn(account: answer.account, client: signedIn(with: token))
    }

    /// Ends this client's session.
    public func logOut() async throws { try await changeWithoutAnswer(.delete, "/me/sessions/current") }

    /// The reader that this client speaks for.
    public func me() async throws -> Account { try await get("/me") }

    /// Closes the account, which is deleted after 30 days. The password is asked for again.
    public func deleteAccount(password: String) async throws {
        try await changeWithoutAnswer(.delete, "/me", ["password": .string(password)])
    }

    /// Sessions of this account, this one included.
    public func sessions() async throws -> [JSONValue] {
        let page: Page<JSONValue> = try await get("/me/sessions")
        return page.items
    }

    /// One page of all books. `limit` is 1...100; `cursor` is `nextCursor` or `prevCursor` of another page.
    public func books(limit: Int = 20, after cursor: String? = nil) async throws -> Page<Book> {
        try await get("/books", ["limit": String(limit), "cursor": cursor])
    }

    public func book(_ id: String) async throws -> Book { try await get("/books/" + id) }

    /// Books by title, author or ISBN, the best first.
    public func search(_ text: String) async throws -> [Book] {
        let page: Page<Book> = try await get("/search", ["q": text])
        return page.items
    }

    /// Books for what has been typed so far, the best first, at most 10.
    public func suggest(_ text: String) async throws -> [Book] {
        struct Suggestions: Decodable { let items: [Book] }
        let suggestions: Suggestions = try await get("/search/suggest", ["q": text])
        return suggestions.items
    }

    /// Corrects fields of a book, named as in the API. `outcome` of what it gives is `applied` for a librarian, `proposed` (with `proposal_id`)
    /// for a member, whose correction waits for one, or `unchanged`.
    public func correct(book: String, _ fields: JSONValue) async throws -> JSONValue {
        try await change(.patch, "/books/\(book)", fields)
    }

    /// Rates a book (0.25...5 in quarters), reviews it, or both; what was there is replaced.
    ///
    /// Repeat the call with the same `key` when it is not known whether it was done.
    public func review(
        book: String, rating: Double?, body: String?, key: String = UUID().uuidString
    ) async throws {
        let review: JSONValue = ["rating": rating.map { .number($0) } ?? .null, "body": .init(body)]
        try await changeWithoutAnswer(.put, "/books/\(book)/review", review, key: key)
    }

    /// Asks a reader to be a friend; gives the request's id.
    public func requestFriendship(with username: String) async throws -> String {
        struct Answer: Decodable {
            let id: String
        }
        let answer: Answer = try await change(.post, "/me/friend-requests", ["username": .string(username)])
        return answer.id
    }

    public func acceptFriendship(_ request: String) async throws {
        try await changeWithoutAnswer(.post, "/me/friend-requests/\(request)/accept")
    }

    /// Reports what the reader sees, such as `post:7112` or `reader:ann`, to the moderators; gives the report's id.
    public func report(_ target: String, as category: String, _ text: String? = nil) async throws -> String {
        let answer: JSONValue = try await change(
            .post, "/reports",
            ["target": .string(target), "category": .string(category), "text": text.map { .string($0) } ?? .null])
        return answer["id"]?.string ?? ""
    }

    /// Keeps a photograph of a page of a book; gives it as the server has it. `image`: a JPEG, PNG, WebP or HEIC.
    public func photograph(book: String, page: Int?, image: [UInt8]) async throws -> JSONValue {
        let path = target("/books/\(book)/photos", ["page": page.map(String.init)])
        var call = HTTPCall(.post, path, body: image, key: UUID().uuidString)
        call.type = "application/octet-stream"
        return try JSONValue(body: try await answer(call).body)
    }

    /// What a call does.
    public enum Method: String, Sendable {
        case get = "GET"
        case post = "POST"
        case put = "PUT"
        case patch = "PATCH"
        case delete = "DELETE"
    }

    /// Any call of the API, for what has no function of its own here: `call(.get, "/moderation/stats")`. Gives the body; null without one.
    public func call(
        _ method: Method, _ path: String, _ query: [String: String?] = [:], _ body: JSONValue? = nil
    ) async throws -> JSONValue {
        let key = method == .get ? nil : UUID().uuidString
        let answer = try await answer(
            HTTPCall(method, target(path, query), body: try body.map(encoded) ?? [], key: key))
        return try JSONValue(body: answer.body)
    }

    /// What friends did, newest first, and the position to follow the stream from.
    public func feed() async throws -> Feed { try await get("/me/feed") }
}

// MARK: - The way of a call

extension CommonplaceClient {
    private func get<Answer: Decodable>(_ path: String, _ query: [String: String?] = [:]) async throws -> Answer {
        try decoded(await answer(HTTPCall(.get, target(path, query))))
    }

    private func change<Answer: Decodable>(_ method: HTTPCall.Method, _ path: String, _ body: JSONValue) async throws
        -> Answer
    {
        try decoded(await answer(HTTPCall(method, target(path), body: try encoded(body), key: UUID().uuidString)))
    }

    private func changeWithoutAnswer(
        _ method: HTTPCall.Method, _ path: String, _ body: JSONValue? = nil, key: String = UUID().uuidString
    ) async throws {
        _ = try await answer(HTTPCall(method, target(path), body: try body.map(encoded) ?? [], key: key))
    }

    private func answer(_ call: HTTPCall) async throws -> HTTPAnswer {
        var call = call
        call.token = token
        let answer = try await transport.perform(call)
        guard (200..<300).contains(answer.status) else { throw ClientError.refused(ServerProblem(answer)) }
        return answer
    }

    private func target(_ path: String, _ query: [String: String?] = [:]) -> String {
        var parts = URLComponents()
        parts.queryItems = query.compactMap { name, value in value.map { URLQueryItem(name: name, value: $0) } }
        // `+` in a query is a space to many servers.
        let text = (parts.percentEncodedQuery ?? "").replacing("+", with: "%2B")
        return address.path + "/api/v1" + path + (text.isEmpty ? "" : "?" + text)
    }

    /// The same bytes for the same body at every try: an idempotency key belongs to one body.
    private func encoded(_ body: JSONValue) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return [UInt8](try encoder.encode(body))
    }

    private func decoded<Answer: Decodable>(_ answer: HTTPAnswer) throws -> Answer {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        do {
            return try decoder.decode(Answer.self, from: Data(answer.body))
        } catch {
            throw ClientError.badAnswer("the answer is not what was expected: \(error)")
        }
    }
}
