import NIOCore
import Testing
import Web

@Suite struct AddressTests {
    @Test(arguments: [
        ("127.0.0.1:8080", true), ("localhost", true), ("LOCALHOST:1", true), ("books.localhost", true),
        ("[::1]:8080", true), ("127.1.2.3", true),
        ("books.example.org", false), ("127.0.0.1.evil.org", false), ("localhost.evil.org", false), ("", false),
        ("10.0.0.1", false),
        ("127.0.0.1:99999", false), ("localhost:+80", false), ("[::1]:+80", false), ("localhost:", false),
        ("localhost:8080@evil.org", false), ("[::1", false), ("256.0.0.1", false),
    ])
    func `without PUBLIC_URL only loopback names are answered`(host: String, allowed: Bool) {
        #expect(HostRule(publicURL: nil).allows(host) == allowed)
    }

    @Test func `with PUBLIC_URL its own host and port are answered too, the scheme's port left out`() {
        let rule = HostRule(publicURL: "https://Books.example.org:443/club/")
        let plain = HostRule(publicURL: "http://books.example.org:8081")

        #expect(rule.allows("books.example.org"))
        #expect(rule.allows("BOOKS.example.org"))
        #expect(!rule.allows("books.example.org:8443"))
        #expect(!rule.allows("example.org"))
        #expect(plain.allows("books.example.org:8081"))
        #expect(!plain.allows("books.example.org"))
        #expect(HostRule(publicURL: "http://books.example.org:080").allows("books.example.org"))
    }

    @Test(arguments: [
        ("https://Books.Example.org/", "https://books.example.org"), ("http://a:80/x/", "http://a/x"),
        ("HTTPS://a:8443", "https://a:8443"),
    ])
    func `a public address is kept in one form`(url: String, normal: String) {
        #expect(HostRule.normalised(url: url) == normal)
    }

    @Test(arguments: [
        "ftp://a", "books.example.org", "http://", "https://a?x", "https://u@a", "https://a b", "https://a:99999",
        "http://é",
    ])
    func `what is no public address is refused`(url: String) {
        #expect(HostRule.normalised(url: url) == nil)
    }

    private func client(_ peer: String, _ forwarded: [String] = [], trusted: [String] = []) throws -> String {
        let ranges = trusted.compactMap(AddressRange.init(text:))
        return ClientAddress(
            peer: try SocketAddress(ipAddress: peer, port: 1), forwardedFor: forwarded, trusted: ranges
        ).key
    }

    @Test func `X-Forwarded-For is believed from trusted proxies alone, from the right`() throws {
        #expect(try client("203.0.113.9", ["198.51.100.7"]) == "203.0.113.9")
        #expect(try client("10.0.0.1", ["198.51.100.7"], trusted: ["10.0.0.0/8"]) == "198.51.100.7")
        #expect(try client("10.0.0.1", ["6.6.6.6, 198.51.100.7, 10.0.0.2"], trusted: ["10.0.0.0/8"]) == "198.51.100.7")
        #expect(try client("10.0.0.1", ["6.6.6.6", "198.51.100.7"], trusted: ["10.0.0.0/8"]) == "198.51.100.7")
        #expect(try client("10.0.0.1", ["198.51.100.7, junk"], trusted: ["10.0.0.0/8"]) == "10.0.0.1")
        #expect(try client("10.0.0.1", [], trusted: ["10.0.0.0/8"]) == "10.0.0.1")
    }

    @Test(arguments: [
        ("198.51.100.7:4711", "198.51.100.7"), ("198.51.100.7:", "10.0.0.1"), ("198.51.100.7:x", "10.0.0.1"),
        ("198.51.100.7:65536", "10.0.0.1"), ("198.51.100.7:1:2", "10.0.0.1"), ("198.51.100.7:+1", "10.0.0.1"),
        ("[2001:db8:0:1::9]:443", "2001:db8:0:1::/64"), ("[2001:db8:0:1::9]", "2001:db8:0:1::/64"),
        ("2001:db8:0:1::9", "2001:db8:0:1::/64"), ("[2001:db8:0:1::9]443", "10.0.0.1"), ("[]:443", "10.0.0.1"),
        ("[198.51.100.7]:443", "10.0.0.1"), ("[2001:db8:0:1::9", "10.0.0.1"),
        ("6.6.6.6, 198.51.100.7:1", "198.51.100.7"),
        ("198.51.100.7, 10.0.0.2:80", "198.51.100.7"),
    ])
    func `a port behind an address in X-Forwarded-For makes no other caller of it`(header: String, key: String) throws {
        #expect(try client("10.0.0.1", [header], trusted: ["10.0.0.0/8"]) == key)
    }

    @Test func `an IPv6 household is its first 64 bits, and IPv4 inside IPv6 is IPv4`() throws {
        #expect(try client("2001:db8:0:1:aaaa::1") == client("2001:db8:0:1:bbbb::2"))
        #expect(try client("2001:db8:0:1::1") != client("2001:db8:0:2::1"))
        #expect(try client("::ffff:203.0.113.9") == "203.0.113.9")
    }

    @Test func `ranges hold what they say`() {
        let range = AddressRange(text: "10.1.0.0/20")

        #expect(range?.contains([10, 1, 15, 255]) == true)
        #expect(range?.contains([10, 1, 16, 0]) == false)
        #expect(range?.contains([UInt8](repeating: 0, count: 16)) == false)
        for text in ["10.0.0.0/33", "10.0.0/8", "x", "1.2.3.4/-1", "1.2.3.4/", "/8", "::1/129"] {
            #expect(AddressRange(text: text) == nil)
        }
    }
}
