import Glibc
import HTTPTypes
import NIOCore

/// Where a request comes from, coarse enough to be one household: an IPv4 address, or the first 64 bits of an IPv6 one.
///
/// The key of limits per address. It is personal data: it is never logged.
package struct ClientAddress: Hashable, Sendable {
    /// `203.0.113.9`, `2001:db8:0:1::/64`, or `local` for a Unix socket.
    package let key: String
    /// 127.0.0.0/8, ::1 and Unix sockets.
    package let isLoopback: Bool

    package static let local = ClientAddress(key: "local", isLoopback: true)

    private init(key: String, isLoopback: Bool) {
        self.key = key
        self.isLoopback = isLoopback
    }

    package init(_ bytes: [UInt8]) {
        if bytes.count == 4 {
            self.init(key: bytes.map(String.init).joined(separator: "."), isLoopback: bytes[0] == 127)
        } else if bytes.count == 16 {
            let groups = stride(from: 0, to: 8, by: 2).map { index in
                String(UInt16(bytes[index]) << 8 | UInt16(bytes[index + 1]), radix: 16)
            }
            self.init(
                key: groups.joined(separator: ":") + "::/64",
                isLoopback: bytes.elementsEqual([UInt8](repeating: 0, count: 15) + [1]))
        } else {
            self = .local
        }
    }

    /// The client of a connection from `peer`: `peer` itself, or, where that is a trusted proxy, the last address of
    /// `X-Forwarded-For` that is none; a port behind an address is left out. An entry that is no address ends the search:
    /// its writer is not believed further.
    package init(peer: SocketAddress?, forwardedFor: [String], trusted: [AddressRange]) {
        guard let bytes = peer?.addressBytes else {
            self = .local
            return
        }
        var address = bytes
        if trusted.contains(where: { $0.contains(address) }) {
            let hops = forwardedFor.flatMap { $0.split(separator: ",") }.suffix(20)
            for hop in hops.reversed() {
                let text = hop.filter { $0 != " " && $0 != "\t" }
                guard let next = AddressRange.bytes(ofHop: text) else { break }
                address = next
                if !trusted.contains(where: { $0.contains(next) }) { break }
            }
        }
        self.init(address)
    }
}

/// An IP address or `address/bits`.
package struct AddressRange: Sendable, Hashable {
    private let bytes: [UInt8]
    private let bits: Int

    /// `nil` unless `text` is `203.0.113.0/24`, `2001:db8::/32` or one address.
    package init?(text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count), let bytes = Self.bytes(of: String(parts[0])) else { return nil }
        self.bytes = bytes
        if parts.count == 2 {
            guard let bits = Int(parts[1]), (0...bytes.count * 8).contains(bits) else { return nil }
            self.bits = bits
        } else {
            self.bits = bytes.count * 8
        }
    }

    package static func isValid(_ text: String) -> Bool { AddressRange(text: text) != nil }

    package func contains(_ address: [UInt8]) -> Bool {
        guard address.count == bytes.count else { return false }
        for index in 0..<bytes.count {
            let left = bits - index * 8
            if left <= 0 { break }
            let mask = left >= 8 ? UInt8.max : ~(UInt8.max >> UInt8(left))
            if address[index] & mask != bytes[index] & mask { return false }
        }
        return true
    }

    /// The address of `203.0.113.9`, `203.0.113.9:4711`, `2001:db8::1`, `[2001:db8::1]` or `[2001:db8::1]:4711`.
    static func bytes(ofHop hop: String) -> [UInt8]? {
        if let bytes = Self.bytes(of: hop) { return bytes }
        let port: Substring
        let address: Substring
        if hop.first == "[" {
            guard let end = hop.firstIndex(of: "]") else { return nil }
            address = hop[hop.index(after: hop.startIndex)..<end]
            port = hop[hop.index(after: end)...]
            guard address.contains(":") else { return nil }
            if port.isEmpty { return Self.bytes(of: String(address)) }
        } else {
            guard let colon = hop.firstIndex(of: ":") else { return nil }
            (address, port) = (hop[..<colon], hop[colon...])
        }
        let digits = port.utf8.dropFirst()
        guard port.first == ":", (1...5).contains(digits.count), digits.allSatisfy({ (0x30...0x39).contains($0) }),
            UInt16(String(port.dropFirst())) != nil
        else { return nil }
        return Self.bytes(of: String(address))
    }

    /// 4 or 16 bytes in network order. An IPv4 address inside an IPv6 one is the IPv4 address.
    static func bytes(of text: String) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: 16)
        if inet_pton(AF_INET, text, &bytes) == 1 { return Array(bytes[..<4]) }
        guard inet_pton(AF_INET6, text, &bytes) == 1 else { return nil }
        let isMapped = bytes[..<12].elementsEqual([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF])
        return isMapped ? Array(bytes[12...]) : bytes
    }
}

extension HTTPFields {
    /// Some proxy has passed the request on, declared or not.
    var isForwarded: Bool {
        [.forwardedFor, .forwarded, .forwardedProto, .forwardedHost, .realIP, .via].contains { self[$0] != nil }
    }
}

extension HTTPField.Name {
    package static let forwarded = HTTPField.Name(known: "Forwarded")
    static let forwardedProto = HTTPField.Name(known: "X-Forwarded-Proto")
    static let forwardedHost = HTTPField.Name(known: "X-Forwarded-Host")
    static let realIP = HTTPField.Name(known: "X-Real-IP")
}

extension SocketAddress {
    /// 4 or 16 bytes in network order; `nil` for a Unix socket.
    var addressBytes: [UInt8]? { ipAddress.flatMap(AddressRange.bytes(of:)) }
}
