import Community
import HTTPTypes
import JSONWriting
import NIOCore
import Postgres

/// What is said to a client when a call fails: `application/problem+json` (RFC 9457) with a stable `code`.
package struct Problem: Error, Sendable {
    package var status: HTTPResponse.Status
    /// Stable and machine-readable, in snake_case like every code of the API.
    package var code: String
    package var title: String
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
    /// Of `account_suspended`.
    package var suspension: Accounts.Suspended?

    package init(_ status: HTTPResponse.Status, _ code: String, _ title: String, _ detail: String? = nil) {
        self.status = status
        self.code = code
        self.title = title
        self.detail = detail
    }

    /// The same problem with `Retry-After`, in whole seconds, at least 1.
    package func retry(after wait: Duration) -> Problem {
        var problem = self
        problem.headers[.retryAfter] = String(max(1, wait.wholeMicroseconds + 999_999) / 1_000_000)
        return problem
    }

    package static var invalidCursor: Problem {
        Problem(
            .badRequest, "invalid_cursor", "The cursor is not valid", "Take cursors from the list itself, unchanged.")
    }

    package static func invalidJSON(_ detail: String) -> Problem {
        Problem(.badRequest, "invalid_json", "The body is not JSON", detail)
    }

    package static var unavailable: Problem {
        Problem(.serviceUnavailable, "unavailable", "The server cannot answer now", "Try again shortly.").retry(
            after: .seconds(2))
    }

    package static func tooLarge(_ limit: Int) -> Problem {
        Problem(.contentTooLarge, "payload_too_large", "The body is too large", "At most \(limit) bytes are read.")
    }

    package static var `internal`: Problem {
        Problem(
            .internalServerError, "internal", "Something went wrong on the server",
            "The request id finds it in the server's log.")
    }

    /// The problem that stands for `error`. Everything unknown is `internal`, and only that is worth a log entry.
    package init(_ error: any Error) {
        switch error {
        case let problem as Problem: self = problem
        case let failure as Failure: self.init(failure: failure)
        case let refusal as Media.Refusal: self.init(refusal)
        case let suspension as Accounts.Suspended:
            self.init(
                .forbidden, "account_suspended", "This account is suspended", "`reason` says why, `until` how long.")
            self.suspension = suspension
        case let error as PostgresError where error.isUnavailable: self = .unavailable
        default: self = .internal
        }
    }

    private init(failure: Failure) {
        switch failure {
        case .unauthenticated(let detail):
            self.init(.unauthorized, "unauthenticated", "Sign in first", detail)
            headers[.wwwAuthenticate] = "Bearer realm=\"commonplace\""
        case .forbidden(let code, let detail): self.init(.forbidden, code, "Not allowed", detail)
        case .notFound(let what):
            self.init(.notFound, "not_found", "Not found", "There is no \(what), or you may not see it.")
        case .invalid(let faults):
            self.init(faults: faults)
        case .conflict(let code, let detail): self.init(.conflict, code, "Not possible now", detail)
        case .preconditionFailed(let detail):
            self.init(.preconditionFailed, "precondition_failed", "It has changed", detail)
        case .limited(let policy, let wait):
            self.init(.tooManyRequests, "quota_exceeded", "Too many requests", "Wait before trying again.")
            violatedPolicies = [policy]
            self = retry(after: wait)
        case .busy(let detail, let wait):
            self.init(.serviceUnavailable, "busy", "The server is busy", detail)
            self = retry(after: wait)
        }
    }

    /// `unknown_field` or `unknown_parameter` where nothing else is wrong, else `validation`.
    private init(faults: [Failure.Fault]) {
        let count = faults.count == 1 ? "1 field is invalid." : "\(faults.count) fields are invalid."
        self.init(.unprocessableContent, "validation", "Validation failed", count)
        self.faults = faults
        let codes = Set(faults.map(\.code))
        if codes == ["unknown_field"] {
            (code, title, detail) = ("unknown_field", "There is no such field", faults.first?.detail)
        }
        if codes == ["unknown_parameter"] {
            (code, title, detail) = ("unknown_parameter", "There is no such parameter", faults.first?.detail)
        }
    }

    /// The registered types for 429 and 503, a name for the others: nobody need look anything up.
    private var type: String {
        switch status {
        case .tooManyRequests: "https://iana.org/assignments/http-problem-types#quota-exceeded"
        case .serviceUnavailable: "https://iana.org/assignments/http-problem-types#temporary-reduced-capacity"
        default: "urn:commonplace:problem:" + code
        }
    }

    /// The whole answer. `request` is the request's id.
    func reply(request: String) throws -> Reply {
        let body = ProblemBody(
            type: type, title: title, status: status.code, code: code, detail: detail,
            instance: "urn:commonplace:request:" + request, requestID: request, errors: faults,
            violatedPolicies: violatedPolicies.isEmpty ? nil : violatedPolicies, candidates: candidates,
            positions: positions, suspension: suspension)
        var fields = headers
        fields[.contentType] = "application/problem+json"
        return Reply(status: status, headers: fields, content: .bytes(try JSONWriter.buffer(body)))
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
        if let suspension {
            object.put("reason", suspension.reason)
            object.put("until", suspension.until)
        }
    }
}
