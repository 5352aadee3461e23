/// Where a request comes from, coarse enough to be one household: an IPv4 address, or the first 64 bits of an IPv6 one.
///
/// The key of limits per address. It is personal data: it is never logged.
package struct ClientAddress: Hashable, Sendable {
    /// `203.0.113.9`, `2001:db8:0:1::/64`, or `local` for a Unix socket.
    package let key: String

    package init(key: String) { self.key = key }

    package static let local = ClientAddress(key: "local")
}
