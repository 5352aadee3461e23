import Community
import Foundation
import PlainText
import Testing

/// What the program does to texts without Foundation, held to what Foundation does.
@Suite struct PlainTextTests {
    @Test(arguments: [
        "", "plain", "e\u{301}", "\u{E9}", "\u{FB01}n", "\u{1100}\u{1161}\u{11A8}", "\u{FDFA}",
        "\u{FDFA}\u{FDFA}\u{FDFA}", "\u{2460}\u{BD}",
        "\u{1F469}\u{200D}\u{1F4BB}", "\u{5D0}\u{5B8}", "a\u{0}b", String(repeating: "\u{1E9B}\u{323}", count: 300),
    ])
    func `normal forms are those of Foundation, also where the text grows`(_ text: String) {
        func isSame(_ one: String, _ other: String) -> Bool { one.unicodeScalars.elementsEqual(other.unicodeScalars) }
        #expect(isSame(text.normalised(.nfc), text.precomposedStringWithCanonicalMapping))
        #expect(isSame(text.normalised(.nfd), text.decomposedStringWithCanonicalMapping))
        #expect(isSame(text.normalised(.nfkc), text.precomposedStringWithCompatibilityMapping))
        #expect(isSame(text.normalised(.nfkd), text.decomposedStringWithCompatibilityMapping))
    }

    @Test func `ends are cut of white space, or of what else is blank`() {
        #expect(" \t a b\r\n".trimmed() == "a b")
        #expect("\u{2003}\n".trimmed() == "")
        #expect("".trimmed() == "")
        // A space that carries a mark is a space and a mark.
        #expect(Array(" \u{301}a".trimmed().unicodeScalars) == ["\u{301}", "a"])
        #expect(" secret \n".trimmed { $0 == "\n" } == " secret ")
        #expect("ab".padded(to: 4) == "ab  ")
        #expect("abcde".padded(to: 4) == "abcde")
    }

    @Test func `a file is read to its end, cut, and written over`() throws {
        let path = FileManager.default.temporaryDirectory.path + "/open-file-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: path) }
        for opening in [OpenFile.reading, OpenFile.changing] {
            let failure = #expect(throws: FileFailure.self) { try opening(path) }
            #expect(failure?.description == "\(path): No such file or directory")
        }
        let file = try OpenFile.writing(path)
        try file.write("0123456789".utf8)
        let reader = try OpenFile.reading(path)
        #expect(try reader.read(4) == Array("0123".utf8))
        #expect(try reader.size() == 10)
        #expect(try reader.read(100) == Array("456789".utf8))
        #expect(try reader.read(1).isEmpty)
        let again = try OpenFile.changing(path)
        try again.cut(to: 3)
        try again.write("x".utf8)
        try reader.seek(to: 1)
        #expect(try reader.read(100) == Array("12x".utf8))
        try again.finish()
        #expect(throws: FileFailure.self) { try OpenFile.making(path) }
        #expect(throws: FileFailure.self) { try OpenFile.reading(FileManager.default.temporaryDirectory.path).read(1) }
        _ = try OpenFile.writing(path)
        #expect(try OpenFile.reading(path).size() == 0)
    }

    @Test func `the room of a disk is what df says, also for a folder that is not there yet`() throws {
        let space = try DiskSpace(at: "/tmp/not/there/yet")
        #expect(space.size == (try DiskSpace(at: "/tmp")).size)
        #expect(space.free > 0 && space.free < space.size)
        let facts = try FileManager.default.attributesOfFileSystem(forPath: "/tmp")
        #expect((facts[.systemSize] as? NSNumber)?.intValue == space.size)
        #expect(try DiskSpace(at: "here").size == DiskSpace(at: ".").size)
    }
}
