/// An IP address, to tell public ones from those of networks that only this machine's neighbours reach.
struct InternetAddress: Hashable, Sendable {
    /// 4 or 16 bytes. An IPv4 address in an IPv6 one (`::ffff:10.0.0.1`, `64:ff9b::…`) is read as the IPv4 address that
    /// it leads to.
    let bytes: [UInt8]

    /// Reads the text of an address, without brackets, zone or port.
    init?(_ text: some StringProtocol) {
        guard let bytes = text.contains(":") ? Self.six(text) : Self.four(text) else { return nil }
        let mapped: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]
        let translated: [UInt8] = [0, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0]
        let head = Array(bytes.dropLast(4))
        self.bytes = head == mapped || head == translated ? Array(bytes.suffix(4)) : bytes
    }

    var isLoopback: Bool { bytes.count == 4 ? bytes[0] == 127 : bytes == Array(repeating: 0, count: 15) + [1] }

    /// Somewhere in the internet: no private, local, shared, multicast, reserved or example network.
    var isPublic: Bool {
        guard bytes.count == 4 else {
            return lies(in: [0x20], bits: 3)
                && !Self.closedSix.contains { lies(in: $0.prefix, bits: $0.bits) }
        }
        return !Self.closedFour.contains { lies(in: $0.prefix, bits: $0.bits) }
    }

    private func lies(in prefix: [UInt8], bits: Int) -> Bool {
        for bit in 0..<bits {
            let mask = UInt8(0x80) >> (bit % 8)
            if (bytes[bit / 8] ^ prefix[bit / 8]) & mask != 0 { return false }
        }
        return true
    }

    /// The IPv4 networks that IANA's registry of special purposes does not call globally reachable, multicast and what
    /// is reserved.
    private static let closedFour: [(prefix: [UInt8], bits: Int)] = [
        ([0, 0, 0, 0], 8), ([10, 0, 0, 0], 8), ([100, 64, 0, 0], 10), ([127, 0, 0, 0], 8), ([169, 254, 0, 0], 16),
        ([172, 16, 0, 0], 12), ([192, 0, 0, 0], 24), ([192, 0, 2, 0], 24), ([192, 88, 99, 0], 24),
        ([192, 168, 0, 0], 16), ([198, 18, 0, 0], 15), ([198, 51, 100, 0], 24), ([203, 0, 113, 0], 24),
        ([224, 0, 0, 0], 3),
    ]

    /// The same within 2000::/3; 6to4 and Teredo among them, which lead to IPv4 addresses.
    private static let closedSix: [(prefix: [UInt8], bits: Int)] = [
        ([0x20, 0x01, 0x00], 23), ([0x20, 0x01, 0x0D, 0xB8], 32), ([0x20, 0x02], 16), ([0x3F, 0xFF, 0x00], 20),
    ]

    private static func four(_ text: some StringProtocol) -> [UInt8]? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 4 else { return nil }
        let bytes = parts.compactMap { part -> UInt8? in
            // Leading zeros mean octal to some and decimal to others.
            guard (1...3).contains(part.utf8.count), part.utf8.allSatisfy({ (48...57).contains($0) }),
                part.utf8.count == 1 || part.utf8.first != 48
            else { return nil }
            return UInt8(part)
        }
        return bytes.count == 4 ? bytes : nil
    }

    private static func six(_ text: some StringProtocol) -> [UInt8]? {
        let halves = String(text).split(separator: "::", maxSplits: 2, omittingEmptySubsequences: false)
        guard halves.count <= 2, let head = groups(halves[0]) else { return nil }
        guard halves.count == 2 else { return head.count == 16 ? head : nil }
        // An IPv4 address may stand at the very end only.
        guard !halves[0].contains(".") else { return nil }
        guard let tail = groups(halves[1]), head.count + tail.count <= 14 else { return nil }
        return head + Array(repeating: 0, count: 16 - head.count - tail.count) + tail
    }

    private static func groups(_ text: Substring) -> [UInt8]? {
        guard !text.isEmpty else { return [] }
        var bytes: [UInt8] = []
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        for (index, part) in parts.enumerated() {
            if part.contains(".") {
                guard index == parts.count - 1, let last = four(part) else { return nil }
                bytes += last
            } else {
                guard (1...4).contains(part.utf8.count), part.utf8.allSatisfy(isHexadecimal),
                    let group = UInt16(part, radix: 16)
                else { return nil }
                bytes += [UInt8(group >> 8), UInt8(group & 0xFF)]
            }
        }
        return bytes
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        (48...57).contains(byte) || (65...70).contains(byte) || (97...102).contains(byte)
    }
}
