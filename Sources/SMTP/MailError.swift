/// Why a mail was not handed over. Names no address, so that it may be logged.
package enum MailError: Error, Hashable, Sendable, CustomStringConvertible {
    /// No further try can succeed.
    case refused(String)
    /// Later it may.
    case temporary(String)

    package var description: String {
        switch self {
        case .refused(let why): "mail refused: \(why)"
        case .temporary(let why): "mail not sent: \(why)"
        }
    }
}
