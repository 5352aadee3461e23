/// What can go wrong for a caller of the community, the same for HTTP, the stream and the command line.
///
/// `Web/Server/Errors.swift` maps these to statuses and `application/problem+json`, `App` to exit codes.
package enum Failure: Error, Hashable, Sendable {
    /// Not signed in, or the session is over. 401.
    case unauthenticated(String = "sign in first")
    /// Signed in, but not allowed. `code` is stable and machine-readable. 403.
    case forbidden(code: String, String)
    /// There is no such thing, or the caller may not know that there is. 404.
    case notFound(String)
    /// Fields that break rules, all of them at once. 422.
    case invalid([Fault])
    /// The state of things does not allow it now. 409.
    case conflict(code: String, String)
    /// `If-Match` did not match. 412.
    case preconditionFailed(String)
    /// Too often. 429 with `Retry-After`.
    case limited(policy: String, retryAfter: Duration)
    /// A bounded resource is full. 503 with `Retry-After`.
    case busy(String, retryAfter: Duration)

    /// One fault of one field.
    package struct Fault: Hashable, Sendable, Codable {
        /// JSON pointer into the request's body (`/rating`), or `?name` for a query parameter.
        package let pointer: String
        /// Stable: `required`, `too_long`, `too_short`, `out_of_range`, `bad_format`, `mismatch`, `taken`, `wrong_type`, `unknown`, …
        package let code: String
        /// For people, in English.
        package let detail: String

        package init(_ pointer: String, _ code: String, _ detail: String) {
            self.pointer = pointer
            self.code = code
            self.detail = detail
        }
    }

    /// One fault as a whole failure.
    package static func invalid(_ pointer: String, _ code: String, _ detail: String) -> Failure {
        .invalid([Fault(pointer, code, detail)])
    }
}

/// Collects the faults of a value, so that all are reported at once.
package struct Faults: Sendable {
    package private(set) var all: [Failure.Fault] = []

    package init() {}

    package mutating func add(_ pointer: String, _ code: String, _ detail: String) {
        all.append(Failure.Fault(pointer, code, detail))
    }

    /// Adds a fault unless `condition` holds.
    package mutating func require(
        _ condition: Bool, _ pointer: String, _ code: String, _ detail: @autoclosure () -> String
    ) {
        if !condition { add(pointer, code, detail()) }
    }

    /// Throws `Failure.invalid` with every fault, or returns where there is none.
    package func check() throws(Failure) {
        if !all.isEmpty { throw .invalid(all) }
    }
}
