/// Another catalogue that can be asked for books. All calls throw `Sources.Trouble`.
package protocol MetadataSource: Sendable {
    var name: Sources.Name { get }

    /// Books that answer the question, best first, at most `Limits.sources.books`; none where the catalogue knows none.
    func books(for question: Sources.Question) async throws -> [Sources.Record]

    /// The book under a key that came from this catalogue, such as `ol:OL7353617M`; `nil` where it has it no more.
    func book(_ key: String) async throws -> Sources.Record?

    /// The bytes of a cover that one of its records names; `nil` where there is none any more. At most
    /// `Limits.sources.cover`.
    func cover(_ name: String) async throws -> [UInt8]?
}

extension Sources {
    /// Why another catalogue gave no answer.
    package enum Trouble: Error, Hashable, Sendable {
        /// No host on the list, or a redirect to one.
        case forbiddenHost(String)
        /// The name leads to an address inside a private network.
        case privateAddress
        case unresolved
        case unreachable
        case timedOut
        case tooLarge
        /// More redirects than are followed, or one that leads nowhere.
        case redirect
        /// An answer that says that something is wrong there: 5xx, 403 and others.
        case status(Int)
        /// 429 or 503: come back later, in so many seconds where it says.
        case limited(seconds: Int64?)
        /// The connection broke, or what came is no HTTP.
        case broken
        /// No JSON, or none of the documented form.
        case unreadable(String)
        /// Left in peace after failures, or too much at once.
        case resting

        /// Stable, for logs and metrics.
        package var code: String {
            switch self {
            case .forbiddenHost: "forbidden_host"
            case .privateAddress: "private_address"
            case .unresolved: "unresolved"
            case .unreachable: "unreachable"
            case .timedOut: "timed_out"
            case .tooLarge: "too_large"
            case .redirect: "redirect"
            case .status(let status): "status_\(status)"
            case .limited: "limited"
            case .broken: "broken"
            case .unreadable: "unreadable"
            case .resting: "resting"
            }
        }
    }
}
