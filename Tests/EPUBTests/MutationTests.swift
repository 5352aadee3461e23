import EPUB
import Foundation
import TestSupport
import Testing

/// Files that are broken at random: each is refused or read, and what is read is safe.
@Suite struct MutationTests {
    /// A small book with all that this target reads.
    private static func book() -> TestArchive {
        let ncx =
            "<ncx><navMap><navPoint><navLabel><text>A</text></navLabel><content src='c0.xhtml#a'/></navPoint></navMap></ncx>"
        let navigation =
            "<nav epub:type='toc'><ol><li><a href='c0.xhtml'>A</a><ol><li><a href='c1.xhtml#b'>B</a></li></ol></li></ol></nav><nav epub:type='page-list'><ol><li><a href='c1.xhtml'>1</a></li></ol></nav>"
        return TestBook(
            metadata:
                "<dc:title>T</dc:title><dc:language>en</dc:language><dc:identifier>urn:isbn:9780306406157</dc:identifier><meta name='cover' content='i-p.png'/>",
            spineAttributes: "toc='n'",
            chapters: [
                "<!-- c --><h1 id='a'>A &eacute;</h1><p>b <a href='c1.xhtml#b' onclick='alert(1)'>c</a><script>alert(1)</script></p><ol><li>d</li></ol><img src='p.png' alt='e'/><table><tr><td>f</td></tr></table>",
                "<?xml version='1.0' encoding='UTF-8'?><!DOCTYPE html [<!ENTITY x 'y'>]><html><body><p id='b' style='x'>&x;<![CDATA[<b>]]></p><math><mi>g</mi></math><svg><image href='p.png'/></svg><a href='javascript:alert(1)'>h</a><img src='http://evil.example/x'/><iframe src='//evil.example'></iframe></body></html>",
            ],
            items: [
                TestBook.picture("p.png"),
                (attributes: "id='n' media-type='application/x-dtbncx+xml'", name: "t.ncx", content: ncx),
            ],
            navigation: navigation, isDeflated: true
        ).archive
    }

    private static let hostile = [
        "<script>alert(1)</script>", "<", ">", "\"", "'", "&", "]]>", "<![CDATA[", "<!--", "-->", "<?", "<!DOCTYPE [",
        "javascript:", " onload=x ", "../", "\0",
        "&lt;", "&#60;", "&nbsp;", "<p>", "</p>", "<svg>", "<math>", "<table>", "</table>", "<style>",
        "http://evil.example/", "<img src=x onerror=y>",
        "\u{FEFF}", "\u{202E}", "xmlns='x'", "<a href='", "<x:y>", "<base href='//evil.example'>", "%2e%2e%2f", "#",
        "\u{338}",
    ]

    /// Breaks the bytes of the whole file, often where its directory lies.
    private static func broken(_ bytes: [UInt8], _ random: TestRandom) -> [UInt8] {
        var bytes = bytes
        if random.once(in: 10) { bytes.removeLast(random.number(in: 0..<bytes.count)) }
        for _ in 0..<random.number(in: 1...6) where !bytes.isEmpty {
            let near = random.once(in: 2) ? max(0, bytes.count - 1_500) : 0
            let place = random.number(in: near..<bytes.count)
            switch random.number(in: 0...3) {
            case 0: bytes[place] = random.bytes(1)[0]
            case 1: bytes[place] ^= 1 << random.number(in: 0...7)
            case 2: bytes[place] = random.element(of: [0, 1, 0x7F, 0x80, 0xFF] as [UInt8]) ?? 0
            default:
                bytes.replaceSubrange(
                    place..<min(bytes.count, place + random.number(in: 0...8)),
                    with: random.bytes(random.number(in: 0...8)))
            }
        }
        return bytes
    }

    /// Breaks documents and packs them soundly again.
    private static func rewritten(_ archive: TestArchive, _ random: TestRandom) -> [UInt8] {
        var archive = archive
        for _ in 0..<random.number(in: 1...3) {
            let index = random.number(in: 1..<archive.entries.count)
            var content = archive.entries[index].content
            for _ in 0..<random.number(in: 1...5) {
                let place = random.number(in: 0...content.count)
                let end = min(content.count, place + random.number(in: 0...30))
                switch random.number(in: 0...3) {
                case 0: content.removeSubrange(place..<end)
                case 1:
                    content.insert(contentsOf: Array(content[place..<end]), at: random.number(in: 0...content.count))
                case 2: content.insert(contentsOf: Array((random.element(of: hostile) ?? "").utf8), at: place)
                default: if place < content.count { content[place] = random.bytes(1)[0] }
                }
            }
            archive.entries[index].content = content
        }
        if random.once(in: 20) {
            archive.entries[random.number(in: 0..<archive.entries.count)].claimedSize = random.number(in: 0...100_000)
        }
        if random.once(in: 20) {
            archive.entries.append(.init(random.element(of: ["../x", "/x", "E/C0.xhtml", "a\0", "x"]) ?? "", "y"))
        }
        return archive.bytes
    }

    @Test(.long, .timeLimit(.minutes(ProofCount.minutes)))
    func `no broken file crashes the parser or brings out what is not safe`() throws {
        let random = TestRandom()
        let archive = Self.book()
        let bytes = archive.bytes
        #expect(try WholeBook(bytes).pages.count == 2)
        var (read, refused) = (0, Set<EPUB.Refusal>())
        for round in 0..<ProofCount.of(20_000) {
            let file = round % 2 == 0 ? Self.broken(bytes, random) : Self.rewritten(archive, random)
            do {
                let book = try WholeBook(file)
                read += 1
                let faults = book.faults
                if !faults.isEmpty { Issue.record("round \(round), seed \(TestRandom.seed): \(faults)") }
                #expect(book.facts.chapters.allSatisfy { !$0.name.contains("..") && !$0.name.hasPrefix("/") })
            } catch { refused.insert(error) }
        }

        #expect(read > ProofCount.of(20_000) / 10, "nearly nothing was read")
        #expect(refused.count >= 5, "nearly nothing was refused: \(refused)")
    }

    @Test(.sharedData("epub/minimal.epub"), .long, .timeLimit(.minutes(ProofCount.minutes)))
    func `no broken real book does either`() throws {
        let random = TestRandom()
        let names = [
            "hefty-water", "wasteland", "minimal", "ocf-filepath-utf8-valid", "pg1342", "regime-anticancer-arabic",
        ]
        let books = try names.map { Array(try Data(contentsOf: URL(filePath: SharedBooksTests.path($0)))) }
        for round in 0..<ProofCount.of(2_000) {
            let bytes = Self.broken(random.element(of: books) ?? [], random)
            guard let book = try? WholeBook(bytes) else { continue }
            let faults = book.faults
            if !faults.isEmpty { Issue.record("round \(round), seed \(TestRandom.seed): \(faults.prefix(5))") }
        }
    }
}
