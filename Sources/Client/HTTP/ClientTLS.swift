import NIOCore

/// TLS under a connection whose server wants it.
enum ClientTLS {
    static func add(to channel: any Channel, for address: ServerAddress) throws {
        if address.isSecure { throw ClientError.badAddress("https is not spoken") }
    }
}
