import Community
import HTTPTypes
import JSONWriting
import NIOCore
import Postgres

/// What is said to a client when a call fails: `application/problem+json` (RFC 9457) with a stable `code`.
package struct Problem: Error, Sendable {
    /// It gives status, title and type.
    package var code: ProblemCode
    /// For people, in English; never SQL, paths or the words of another error.
    package var detail: String?
    package var faults: [Failure.Fault] = []
    package var headers: HTTPFields = [:]
    /// Members beside the standard ones.
    package var violatedPolicies: [String] = []
    /// What is there already, where that is why the call was refused.
    package var candidates: [any Encodable & Sendable]?
    /// Of `position_behind`: the position that was sent, then the one that is there.
    package var positions: [any Encodable & Sendable]?
    /// Of `page_moved`: the page that has the place now.
    package var page: Int?
    /// Of `account_suspended`.
    package var suspension: Accounts.Suspended?

    package init(_ code: ProblemCode, _ detail: String? = nil) {
        self.code = code
        self.detail = detail.map(Sentence.finished)
    }

    package var status: HTTPResponse.Status { code.httpStatus }

    /// The same problem with `Retry-After`, in whole seconds, at least 1.
    package func retry(after wait: Duration) -> Problem {
        var problem = self
        problem.headers[.retryAfter] = String(max(1, wait.wholeMicroseconds + 999_999) / 1_000_000)
        return problem
    }

    package static var invalidCursor: Problem {
        Problem(.invalidCursor, "Take cursors from the list itself, unchanged.")
    }

    package static func invalidJSON(_ detail: String) -> Problem {
        Problem(.invalidJson, detail)
    }

    package static var unavailable: Problem {
        Problem(.unavailable, "Try again shortly.").retry(after: .seconds(2))
    }

    package static func tooLarge(_ limit: Int) -> Problem {
        Problem(.payloadTooLarge, "At most \(limit) bytes are read.")
    }

    package static var `internal`: Problem {
        Problem(.internal, "The request id finds it in the server's log.")
    }

    /// The problem that stands for `error`. Everything unknown is `internal`, and only that is worth a log entry.
    package init(_ error: any Error) {
        switch error {
        case let problem as Problem: self = problem
        case let failure as Failure: self.init(failure: failure)
        case let refusal as Media.Refusal: self.init(refusal)
        case let refusal as Ebooks.Refusal: self.init(refusal)
        case let suspension as Accounts.Suspended:
            self.init(.accountSuspended, "`reason` says why, `until` how long.")
            self.suspension = suspension
        case let error as PostgresError where error.isUnavailable: self = .unavailable
        default: self = .internal
        }
    }

    private init(failure: Failure) {
        switch failure {
        case .unauthenticated(let detail):
            self.init(.unauthenticated, detail)
            headers[.wwwAuthenticate] = "Bearer realm=\"commonplace\""
        case .wrongCredentials(let detail):
            self.init(.wrongCredentials, detail)
            headers[.wwwAuthenticate] = "Bearer realm=\"commonplace\""
        case .forbidden(let code, let detail), .conflict(let code, let detail): self.init(code, detail)
        case .notFound(let what):
            self.init(.notFound, "There is no \(what), or you may not see it.")
        case .invalid(let faults):
            self.init(faults: faults)
        case .preconditionFailed(let detail):
            self.init(.preconditionFailed, detail)
        case .limited(let policy, let wait):
            self.init(.quotaExceeded, "Wait before trying again.")
            violatedPolicies = [policy]
            self = retry(after: wait)
        case .busy(let detail, let wait):
            self.init(.busy, detail)
            self = retry(after: wait)
        }
    }

    /// `unknown_field` or `unknown_parameter` where nothing else is wrong, else `validation`.
    private init(faults: [Failure.Fault]) {
        let count = faults.count == 1 ? "1 field is invalid." : "\(faults.count) fields are invalid."
        switch Set(faults.map(\.code)) {
        case [.unknownField]: self.init(.unknownField, faults.first?.spoken.detail)
        case [.unknownParameter]: self.init(.unknownParameter, faults.first?.spoken.detail)
        default: self.init(.validation, count)
        }
        self.faults = faults
    }

    static let mediaType = "application/problem+json"

    /// The whole answer. `request` is the request's id, `base` where the server is reached.
    package func reply(request: String, base: String) throws -> Reply {
        var fields = headers
        fields[.contentType] = Self.mediaType
        return Reply(status: status, headers: fields, content: .bytes(try body(request: request, base: base)))
    }

    /// The answer's body. `base` is `nil` before a host has been read.
    package func body(request: String, base: String?) throws -> ByteBuffer {
        let body = ProblemBody(
            type: code.type(at: base), title: code.meaning.title, status: status.code, code: code.rawValue,
            detail: detail,
            instance: "urn:commonplace:request:" + request, requestID: request, errors: faults.map(\.spoken),
            violatedPolicies: violatedPolicies.isEmpty ? nil : violatedPolicies, candidates: candidates,
            positions: positions, page: page, suspension: suspension)
        return try JSONWriter.buffer(body)
    }
}

extension Failure.Fault {
    /// With its detail as a whole sentence.
    package var spoken: Failure.Fault {
        Failure.Fault(pointer, code, Sentence.fault(pointer, code.rawValue, detail))
    }
}

private struct ProblemBody: JSONForm {
    let type: String
    let title: String
    let status: Int
    let code: String
    let detail: String?
    let instance: String
    let requestID: String
    let errors: [Failure.Fault]
    /// Named with a hyphen by the rate-limit draft.
    let violatedPolicies: [String]?
    let candidates: [any Encodable & Sendable]?
    let positions: [any Encodable & Sendable]?
    let page: Int?
    let suspension: Accounts.Suspended?

    func put(into object: JSONObject) {
        object.put("type", type)
        object.put("title", title)
        object.put("status", status)
        object.put("code", code)
        object.put("detail", detail)
        object.put("instance", instance)
        object.put("request_id", requestID)
        object.put("errors", errors)
        if let violatedPolicies { object.put("violated-policies", violatedPolicies) }
        if let candidates { object.put("candidates", all: candidates) }
        if let positions { object.put("positions", all: positions) }
        if let page { object.put("page", page) }
        if let suspension {
            object.put("reason", suspension.reason)
            object.put("until", suspension.until)
        }
    }
}
