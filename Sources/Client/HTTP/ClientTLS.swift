import NIOCore
import NIOSSL

/// TLS under a connection whose server wants it. Certificates must be valid for the server's name.
enum ClientTLS {
    /// Does nothing for `http://` and `ws://`. Throws where the machine's certificates cannot be read.
    static func add(to channel: any Channel, for address: ServerAddress) throws {
        guard address.isSecure else { return }
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.minimumTLSVersion = .tlsv12
        configuration.applicationProtocols = ["http/1.1"]
        let context = try NIOSSLContext(configuration: configuration)
        let isAddress = (try? SocketAddress(ipAddress: address.host, port: 0)) != nil
        try channel.pipeline.syncOperations.addHandler(
            NIOSSLClientHandler(context: context, serverHostname: isAddress ? nil : address.host))
    }
}
