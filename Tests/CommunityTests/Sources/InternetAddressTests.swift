import TestSupport
import Testing

@testable import Community

/// Which addresses may be connected to, and what is an address at all.
@Suite struct InternetAddressTests {
    @Test(arguments: [
        "0.0.0.0", "10.1.2.3", "100.64.0.1", "100.127.255.255", "127.0.0.1", "127.255.0.1", "169.254.169.254",
        "172.16.0.1", "172.31.255.255", "192.0.0.8", "192.0.2.1", "192.168.1.1", "198.18.0.1", "198.19.255.255",
        "198.51.100.7", "203.0.113.9", "224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255", "::", "::1",
        "fe80::1", "fc00::1", "fd12:3456::1", "ff02::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:a00:1",
        "64:ff9b::10.0.0.1", "64:ff9b::7f00:1", "2001:db8::1", "2001::1", "2002:a00:1::", "100::1", "4000::1",
    ])
    func `an address inside some network is not public`(text: String) throws {
        let address = try #require(InternetAddress(text))
        #expect(!address.isPublic)
    }

    @Test(arguments: [
        "8.8.8.8", "172.15.255.255", "172.32.0.1", "100.63.255.255", "100.128.0.1", "192.169.0.1", "198.20.0.1",
        "223.255.255.255", "2607:f8b0:4004:800::200a", "2a00:1450::1", "::ffff:8.8.8.8", "64:ff9b::808:808",
    ])
    func `an address of the internet is public`(text: String) throws {
        let address = try #require(InternetAddress(text))
        #expect(address.isPublic)
    }

    @Test(arguments: [
        "", "1.2.3", "1.2.3.4.5", "256.1.1.1", "1.2.3.04", "0x7f.1", "2130706433", "localhost", ":", ":::", "1::2::3",
        "1:2:3:4:5:6:7:8:9", "1:2:3:4:5:6:7", "fe80::1%eth0", "12345::", "g::1", "::1.2.3", "1.2.3.4::", "::1.2.3.4:5",
        "+1.2.3.4",
        "::+1",
    ])
    func `what is no address is none`(text: String) { #expect(InternetAddress(text) == nil) }

    @Test(
        arguments: [
            ("http://127.0.0.1:8081", "127.0.0.1", 8081), ("http://[::1]:99/", "::1", 99),
            ("https://127.0.0.9", "127.0.0.9", 443),
        ] as [(String, String, Int)])
    func `a base on this machine is taken`(text: String, name: String, port: Int) throws {
        let host = try #require(Sources.Host(loopback: text))
        #expect(host.name == name && host.port == port)
    }

    @Test(arguments: [
        "http://10.0.0.1", "http://localhost:80", "http://127.0.0.1/path", "http://127.0.0.1?x", "ftp://127.0.0.1",
        "http://user@127.0.0.1", "http://127.0.0.1:0", "http://127.0.0.1:99999", "127.0.0.1", "http://", "http://[::1",
        "http://127.0.0.1\\@evil.example", "http://127.0.0.1#x", "http://example.org",
    ])
    func `a base anywhere else is refused`(text: String) { #expect(Sources.Host(loopback: text) == nil) }

    @Test func `paths hold what they were given and nothing breaks out of them`() {
        let host = Sources.Host(isSecure: true, name: "openlibrary.org", port: 443)
        let target = Sources.Target(host, ["isbn", "../a?b#c"], query: ["q": "a&b=c d\"é\r\nHost: x"])
        #expect(
            target.text
                == "https://openlibrary.org/isbn/..%2Fa%3Fb%23c?q=a%26b%3Dc%20d%22%C3%A9%0D%0AHost%3A%20x")
    }

    @Test func `redirects are followed by what they say`() {
        let host = Sources.Host(isSecure: true, name: "openlibrary.org", port: 443)
        let target = Sources.Target(host: host, path: "/isbn/1.json")
        #expect(target.following("/books/OL1M.json#top")?.text == "https://openlibrary.org/books/OL1M.json")
        #expect(target.following("HTTPS://OpenLibrary.org/x")?.host == host)
        #expect(target.following("//evil.example/x") == nil)
        #expect(target.following("books/1") == nil)
        #expect(target.following("/a\r\nb") == nil)
        #expect(target.following("https://openlibrary.org@evil.example/x") == nil)
        #expect(target.following("http://openlibrary.org/x")?.host != host)
    }
}
