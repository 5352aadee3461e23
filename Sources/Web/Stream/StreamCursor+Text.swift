import Community
import EventLog

/// The form in which a position leaves the server: base64url of a version byte, epoch and seq, and the first 10 bytes of a signature over
/// them. 36 characters.
extension StreamCursor {
    private static let version: UInt8 = 1
    private static let signatureCount = 10

    /// Why a text is no cursor of ours.
    package enum Refusal: Error, Hashable, Sendable {
        /// Not the form of a cursor at all.
        case malformed
        /// The form is right and the signature is not: another server's, or made by hand.
        case foreign
    }

    package func text(signedBy secret: SecretKey) -> String {
        let payload = [Self.version] + bytes
        return (payload + secret.sign(payload, for: .stream).prefix(Self.signatureCount)).base64URL
    }

    package init(text: String, signedBy secret: SecretKey) throws(Refusal) {
        guard text.utf8.count <= 64, let all = [UInt8](base64URL: text),
            all.count == 1 + Self.byteCount + Self.signatureCount, all[0] == Self.version
        else { throw .malformed }
        let payload = Array(all.prefix(1 + Self.byteCount))
        guard secret.verifies(Array(all.suffix(Self.signatureCount)), of: payload, for: .stream),
            let cursor = StreamCursor(bytes: payload.dropFirst())
        else { throw .foreign }
        self = cursor
    }
}
