import Community
import HTTPTypes

extension ProblemCode {
    /// The status that is answered, with its words.
    package var httpStatus: HTTPResponse.Status {
        Self.statuses.first { $0.code == meaning.status } ?? HTTPResponse.Status(code: meaning.status)
    }

    private static let statuses: [HTTPResponse.Status] = [
        .notFound, .unprocessableContent, .conflict, .forbidden, .unauthorized, .tooManyRequests, .badRequest,
        .methodNotAllowed, .requestTimeout, .gone, .preconditionFailed, .contentTooLarge, .unsupportedMediaType,
        .misdirectedRequest, .upgradeRequired, .uriTooLong, .requestHeaderFieldsTooLarge, .httpVersionNotSupported,
        .internalServerError, .notImplemented, .serviceUnavailable,
        .init(code: 499, reasonPhrase: "Client Closed Request"), .init(code: 507, reasonPhrase: "Insufficient Storage"),
    ]

    /// The address that explains it: the registered types for 429 and 503, a page of this server for the others, none where it is
    /// not known by which name the server is called.
    func type(at base: String?) -> String {
        guard let base else { return "about:blank" }
        return switch meaning.status {
        case 429: "https://iana.org/assignments/http-problem-types#quota-exceeded"
        case 503: "https://iana.org/assignments/http-problem-types#temporary-reduced-capacity"
        default: base + "/problems/" + rawValue
        }
    }
}
