import Postgres

/// What can go wrong for a caller of the community, the same for HTTP, the stream and the command line.
///
/// Each front maps them to what its callers understand: `Web/Server/Problem.swift`, and `App` to exit codes.
package enum Failure: Error, Hashable, Sendable {
    /// Not signed in, or the session is over.
    case unauthenticated(String = "sign in first")
    /// No such name, or another password than that of the account.
    case wrongCredentials(String)
    /// Signed in, but not allowed. `code` is stable and machine-readable.
    case forbidden(code: ProblemCode, String)
    /// There is no such thing, or the caller may not know that there is.
    case notFound(String)
    /// Fields that break rules, all of them at once.
    case invalid([Fault])
    /// The state of things does not allow it now.
    case conflict(code: ProblemCode, String)
    /// What the caller wanted to change is not what it has seen.
    case preconditionFailed(String)
    /// Too often; `retryAfter` says when it may be tried again.
    case limited(policy: String, retryAfter: Duration)
    /// A bounded resource is full; `retryAfter` says when it may be tried again.
    case busy(String, retryAfter: Duration)

    /// One fault of one field.
    package struct Fault: Hashable, Sendable, Codable {
        /// JSON pointer into the request's body (`/rating`), or `?name` for a query parameter.
        package let pointer: String
        package let code: FaultCode
        /// For people, in English.
        package let detail: String

        package init(_ pointer: String, _ code: FaultCode, _ detail: String) {
            self.pointer = pointer
            self.code = code
            self.detail = detail
        }

        /// The same fault of a field of an object that stands at `place` in the body.
        func below(_ place: String) -> Fault { Fault(place + pointer, code, detail) }
    }

    /// The code of a refusal for what the thing is, or who asks; `nil` of one that only the moment made.
    package var code: String? {
        switch self {
        case .forbidden(let code, _), .conflict(let code, _): code.rawValue
        case .notFound: ProblemCode.notFound.rawValue
        case .invalid(let faults): faults.first?.code.rawValue
        case .wrongCredentials: ProblemCode.wrongCredentials.rawValue
        case .unauthenticated, .preconditionFailed, .limited, .busy: nil
        }
    }

    /// One fault as a whole failure.
    package static func invalid(_ pointer: String, _ code: FaultCode, _ detail: String) -> Failure {
        .invalid([Fault(pointer, code, detail)])
    }
}

/// Collects the faults of a value, so that all are reported at once: at most 100, the last of which then says that
/// there are more.
package struct Faults: Sendable {
    /// Faults that are kept, however many a stranger makes.
    package static let limit = 100
    /// Bytes of a pointer that are kept.
    package static let pointerLength = 200

    package private(set) var all: [Failure.Fault] = []

    package init() {}

    /// Whatever is added now is not kept.
    package var isFull: Bool { all.count >= Self.limit }

    package mutating func add(_ pointer: String, _ code: FaultCode, _ detail: String) {
        guard !isFull else { return }
        guard all.count < Self.limit - 1 else {
            all.append(Failure.Fault("", .tooMany, "There are more faults than are listed."))
            return
        }
        all.append(Failure.Fault(Self.cut(pointer), code, detail))
    }

    /// At most `pointerLength` bytes of whole characters.
    private static func cut(_ pointer: String) -> String {
        guard pointer.utf8.count > pointerLength else { return pointer }
        var end = pointer.utf8.index(pointer.startIndex, offsetBy: pointerLength)
        while end.samePosition(in: pointer.unicodeScalars) == nil { end = pointer.utf8.index(before: end) }
        return String(pointer[..<end])
    }

    package mutating func add(contentsOf faults: [Failure.Fault]) {
        for fault in faults { add(fault.pointer, fault.code, fault.detail) }
    }

    /// Adds a fault unless `condition` holds.
    package mutating func require(
        _ condition: Bool, _ pointer: String, _ code: FaultCode, _ detail: @autoclosure () -> String
    ) {
        if !condition { add(pointer, code, detail()) }
    }

    /// Throws `Failure.invalid` with every fault, or returns where there is none.
    package func check() throws(Failure) {
        if !all.isEmpty { throw .invalid(all) }
    }
}

extension Failure {
    /// Runs `body`, in which the database is the judge: the violation of a constraint named in `constraints` becomes
    /// the failure that it stands for; every other error passes.
    ///
    /// Inside a transaction the violation has already aborted it: put this around the whole `transaction`, not around
    /// one statement.
    package static func mapping<Result>(
        _ constraints: KeyValuePairs<String, Failure>, _ body: () async throws -> Result
    ) async throws -> Result {
        do {
            return try await body()
        } catch let error as PostgresError {
            guard let name = error.constraint, let failure = constraints.first(where: { $0.key == name })?.value else {
                throw error
            }
            throw failure
        }
    }
}
