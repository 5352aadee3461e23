import FoundationEssentials

/// Why a call failed.
public enum ClientError: Error, Sendable, CustomStringConvertible {
    /// The server's address is none, or names a scheme that is not spoken.
    case badAddress(String)
    /// No connection, or it broke before the answer was whole.
    case unreachable(String)
    /// The answer did not come in time.
    case timedOut
    /// The server said no, and why.
    case refused(ServerProblem)
    /// The account was made; it cannot sign in before it is approved.
    case awaitsApproval(Account)
    /// What came is not what a Commonplace server answers.
    case badAnswer(String)

    public var description: String {
        switch self {
        case .badAddress(let why): "bad address: \(why)"
        case .unreachable(let why): "the server cannot be reached: \(why)"
        case .timedOut: "the server did not answer in time"
        case .refused(let problem): problem.description
        case .awaitsApproval(let account): "the account \(account.username) awaits approval"
        case .badAnswer(let why): "unexpected answer: \(why)"
        }
    }
}

/// An answer of 4xx or 5xx: `application/problem+json`.
public struct ServerProblem: Sendable, CustomStringConvertible {
    /// One field that broke a rule.
    public struct Fault: Decodable, Hashable, Sendable {
        /// JSON pointer into the body that was sent, or `?name` for a query parameter.
        public let pointer: String?
        /// Stable, for programs.
        public let code: String?
        /// For people.
        public let detail: String?
    }

    public let status: Int
    /// Stable, for programs: `validation`, `not_found`, …; empty where the answer was no problem document.
    public let code: String
    public let title: String
    public let detail: String?
    public let errors: [Fault]
    /// When to ask again, where the server said so.
    public let retryAfter: Duration?

    public var description: String {
        let faults = errors.map { "\($0.pointer ?? ""): \($0.detail ?? $0.code ?? "")" }
        return (["\(status) \(title)"] + [detail].compactMap(\.self) + faults).joined(separator: "; ")
    }

    private struct Document: Decodable {
        let code: String?
        let title: String?
        let detail: String?
        let errors: [Fault]?
    }

    init(_ answer: HTTPAnswer) {
        self.init(status: answer.status, body: answer.body, retryAfter: answer.retryAfter)
    }

    /// What an answer says, wherever it came from.
    public init(status: Int, body: [UInt8], retryAfter: String? = nil) {
        let document = try? JSONDecoder().decode(Document.self, from: Data(body))
        self.status = status
        self.code = document?.code ?? ""
        self.title = document?.title ?? "no reason given"
        self.detail = document?.detail
        self.errors = document?.errors ?? []
        self.retryAfter = retryAfter.flatMap { Int($0) }.map { .seconds($0) }
    }
}
