@testable import Community

/// What a call of messages was refused for, in a word; `nil` where it was not.
enum MessagesRefusal {
    static func of(_ body: () async throws -> Void) async throws -> String? {
        do {
            try await body()
            return nil
        } catch let failure as Failure {
            return switch failure {
            case .unauthenticated: "unauthenticated"
            case .wrongCredentials: "wrong_credentials"
            case .forbidden(let code, _), .conflict(let code, _): code.rawValue
            case .notFound: "not_found"
            case .invalid(let faults): faults.map { $0.pointer + " " + $0.code.rawValue }.joined(separator: ", ")
            case .preconditionFailed: "precondition_failed"
            case .limited(let policy, _): "limited " + policy
            case .busy: "busy"
            }
        }
    }
}
