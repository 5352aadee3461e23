/// One call.
struct HTTPCall: Sendable {
    typealias Method = CommonplaceClient.Method

    let method: Method
    /// Path and query.
    let target: String
    let body: [UInt8]
    /// Makes a repetition harmless; `nil` for calls that change nothing.
    let key: String?
    var token: String?
    /// What the body is.
    var type = "application/json"

    init(_ method: Method, _ target: String, body: [UInt8] = [], key: String? = nil) {
        self.method = method
        self.target = target
        self.body = body
        self.key = key
    }
}

/// One answer.
struct HTTPAnswer: Sendable {
    let status: Int
    let retryAfter: String?
    let body: [UInt8]
}
