import EPUB
import Foundation
import TestSupport
import Testing

@Suite struct ArchiveTests {
    private static func refusal(_ bytes: [UInt8], _ limits: EPUB.Limits = .init()) -> EPUB.Refusal? {
        do {
            _ = try WholeBook(bytes, limits: limits)
            return nil
        } catch { return error }
    }

    @Test func `a sound book opens, stored and deflated`() throws {
        for isDeflated in [false, true] {
            let book = try TestBook(isDeflated: isDeflated).read()

            #expect(book.pages.map(\.text) == ["One."])
            #expect(book.remarks.isEmpty)
            #expect(book.faults.isEmpty)
        }
    }

    @Test func `what is no archive says so`() {
        let sound = TestBook().archive.bytes

        #expect(Self.refusal([]) == .empty)
        #expect(Self.refusal([0x50]) == .notZIP)
        #expect(Self.refusal(Array("Once upon a time".utf8)) == .notZIP)
        #expect(Self.refusal(Array(repeating: 0, count: 100_000)) == .notZIP)
        #expect(Self.refusal(Array(sound.prefix(sound.count / 2))) == .truncated)
        #expect(Self.refusal(Array(sound.dropLast(1))) == .truncated)
        #expect(Self.refusal(TestArchive([]).bytes) == .noContainer)
        #expect(Self.refusal(TestArchive([.init("word/document.xml", "<w/>")]).bytes) == .noContainer)
    }

    @Test(arguments: [
        ("../evil", EPUB.Refusal.nameOutside), ("E/../../evil", .nameOutside), ("E/..", .nameOutside),
        ("./a", .nameOutside),
        ("/etc/passwd", .nameOutside), ("C:/evil", .nameOutside), ("c:evil", .nameOutside), ("E\\evil", .nameOutside),
        ("..\\evil", .nameOutside), ("E//a", .nameOutside), ("//host/a", .nameOutside), ("a\0.xhtml", .nameInvalid),
        ("a\u{1B}[2J", .nameInvalid), ("a\n", .nameInvalid), ("", .nameInvalid),
        (String(repeating: "a", count: 2_000), .nameInvalid),
        ("E/c0.xhtml", .nameTwice), ("e/C0.XHTML", .nameTwice), ("E/p.opf/", .nameTwice), ("E/ｃ0.xhtml", .nameTwice),
    ])
    func `names that lead outside, clash or cannot be are refused`(name: String, refusal: EPUB.Refusal) {
        #expect(Self.refusal(TestBook(others: [.init(name, "x")]).archive.bytes) == refusal)
    }

    @Test(arguments: [
        ("caf\u{E9}", "cafe\u{301}"), ("Stra\u{DF}e", "STRASSE"), ("\u{3A3}", "\u{3C2}"), ("\u{FB01}n", "fin"),
        ("\u{212B}", "\u{E5}"),
        ("\u{FF21}", "a"),
    ])
    func `two forms of one name are one name`(first: String, second: String) {
        #expect(Self.refusal(TestBook(others: [.init(first, "x")]).archive.bytes) == nil)
        #expect(Self.refusal(TestBook(others: [.init(first, "x"), .init(second, "y")]).archive.bytes) == .nameTwice)
    }

    @Test func `a name that is not UTF-8 is refused`() {
        #expect(Self.refusal(TestBook(others: [.init(name: [0x61, 0xFF], content: [])]).archive.bytes) == .nameInvalid)
    }

    @Test func `more members than the limit are refused, whatever the end says of their number`() {
        var archive = TestArchive((0..<100_000).map { .init("f\($0)", "") })

        #expect(Self.refusal(archive.bytes) == .tooManyMembers)
        archive.claimedCount = 9
        #expect(Self.refusal(archive.bytes) == .damaged || Self.refusal(archive.bytes) == .tooManyMembers)
        archive = TestBook().archive
        archive.claimedCount = archive.entries.count - 1
        #expect(Self.refusal(archive.bytes) == .damaged)
        archive.claimedCount = archive.entries.count + 1
        #expect(Self.refusal(archive.bytes) == .damaged)
    }

    @Test func `members that share bytes are refused`() {
        var archive = TestBook().archive
        let kernel = TestArchive.Entry(
            name: Array("k".utf8), content: Array(repeating: 0x61, count: 900_000), isDeflated: true)
        archive.entries.append(kernel)
        for number in 0..<50 {
            var copy = kernel
            copy.name = Array("k\(number)".utf8)
            copy.sharesBytesOf = archive.entries.count - 1 - number
            archive.entries.append(copy)
        }

        #expect(Self.refusal(archive.bytes) == .overlapping)
    }

    @Test func `a bomb is refused by what its directory says`() {
        let bomb = TestArchive.Entry(
            name: Array("b".utf8), content: Array(repeating: 0x61, count: 8 << 20), isDeflated: true)
        var limits = EPUB.Limits()

        #expect(Self.refusal(TestBook(others: [bomb]).archive.bytes) == .inflatesTooMuch)
        (limits.ratio, limits.inflated) = (10_000, 4 << 20)
        #expect(Self.refusal(TestBook(others: [bomb]).archive.bytes, limits) == .inflatesTooMuch)
        limits.inflated = 16 << 20
        #expect(Self.refusal(TestBook(others: [bomb]).archive.bytes, limits) == nil)
    }

    @Test(arguments: [0, 10, 1_000, 100_000_000])
    func `a member that is not as long as its directory says is damaged`(claim: Int) {
        var archive = TestBook(isDeflated: true).archive
        archive.entries[3].claimedSize = claim
        var limits = EPUB.Limits()
        limits.ratio = 1 << 30

        #expect(Self.refusal(archive.bytes, limits) == (claim > limits.document ? .documentTooLarge : .damaged))
    }

    @Test func `bytes that are not what the sum says are damaged`() throws {
        var bytes = TestBook().archive.bytes
        let place = try #require(bytes.firstRange(of: Array("One.".utf8)))
        bytes[place.lowerBound] ^= 1

        #expect(Self.refusal(bytes) == .damaged)
    }

    @Test func `passwords, odd compressions and DRM are refused for what they are`() {
        var archive = TestBook().archive
        archive.entries[3].flags = 0x0801
        #expect(Self.refusal(archive.bytes) == .encrypted)
        archive = TestBook().archive
        archive.entries[3].method = 14
        #expect(Self.refusal(archive.bytes) == .compression)
        for name in ["META-INF/rights.xml", "META-INF/license.lcpl", "META-INF/sinf.xml"] {
            #expect(Self.refusal(TestBook(others: [.init(name, "<r/>")]).archive.bytes) == .protected)
        }
    }

    private static func encryption(_ algorithm: String, _ name: String) -> TestArchive.Entry {
        .init(
            "META-INF/encryption.xml",
            """
            <encryption xmlns="urn:oasis:names:tc:opendocument:xmlns:container" xmlns:enc="http://www.w3.org/2001/04/xmlenc#">
            <enc:EncryptedData><enc:EncryptionMethod Algorithm="\(algorithm)"/><enc:CipherData>
            <enc:CipherReference URI="\(name)"/></enc:CipherData></enc:EncryptedData></encryption>
            """)
    }

    @Test func `obfuscated fonts are remarked, encrypted contents refused`() throws {
        let fonts = "http://www.idpf.org/2008/embedding"
        let book = try TestBook(others: [Self.encryption(fonts, "E/f.otf"), .init("E/f.otf", "x")]).read()

        #expect(book.remarks.map(\.code) == [.obfuscatedFonts])
        let aes = Self.encryption("http://www.w3.org/2001/04/xmlenc#aes256-cbc", "E/f.otf")
        #expect(Self.refusal(TestBook(others: [aes]).archive.bytes) == .protected)
        #expect(Self.refusal(TestBook(others: [Self.encryption(fonts, "E/c0.xhtml")]).archive.bytes) == .protected)
        #expect(
            Self.refusal(TestBook(others: [.init("META-INF/encryption.xml", "no XML")]).archive.bytes) == .protected)
    }

    @Test func `a missing or odd mimetype is remarked alone`() throws {
        var archive = TestBook().archive
        archive.entries[0].content = Array("text/plain".utf8)
        #expect(try WholeBook(archive.bytes).remarks.map(\.code) == [.otherMediaType])
        archive.entries.removeFirst()
        #expect(try WholeBook(archive.bytes).remarks.map(\.code) == [.noMediaType])
    }

    @Test func `every refusal has a code and a sentence of its own`() {
        let all = EPUB.Refusal.allCases

        #expect(Set(all.map(\.code)).count == all.count)
        #expect(Set(all.map(\.sentence)).count == all.count)
        #expect(
            all.allSatisfy { $0.sentence.hasSuffix(".") && !$0.sentence.contains("\n") && $0.sentence.count <= 100 })
    }

    @Test func `a picture is written as it is, and one that is too large is not`() throws {
        let picture = TestBook.picture("a.png")
        let file = TestFile(TestBook(items: [picture]).archive.bytes)
        let reading = try EPUB.read(descriptor: file.descriptor)
        let target = TestFile()

        #expect(try reading.pictureBytes(0, to: target.descriptor) == 3)
        #expect(target.content == Array("PNG".utf8))
        #expect(throws: EPUB.Refusal.noPicture) { try reading.pictureBytes(1, to: target.descriptor) }
        #expect(throws: EPUB.Refusal.noPicture) { try reading.pictureBytes(-1, to: target.descriptor) }
        var limits = EPUB.Limits()
        limits.picture = 2
        let strict = try EPUB.read(descriptor: file.descriptor, limits: limits)
        #expect(throws: EPUB.Refusal.pictureTooLarge) { try strict.pictureBytes(0, to: target.descriptor) }
    }

    @Test func `a folder, a path that is not there and a pipe are unreadable`() {
        #expect(throws: EPUB.Refusal.unreadable) { try EPUB.read(path: "/") }
        #expect(throws: EPUB.Refusal.unreadable) { try EPUB.read(path: "/nothing/here.epub") }
        #expect(throws: EPUB.Refusal.unreadable) { try EPUB.read(path: "/dev/null") }
    }
}
