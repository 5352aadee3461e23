import Testing

@testable import Neighbours

/// What a line of a file may be, and what is said of one that is not.
@Suite struct LinesTests {
    private func added(_ text: String) throws -> Evaluation.Lines {
        var lines = Evaluation.Lines()
        try lines.add(line: ArraySlice(text.utf8))
        return lines
    }

    @Test(arguments: [
        ("1 2 3", 1, [2, 3]), ("1\t2\t 3 ", 1, [2, 3]), ("0 007", 0, [7]),
        ("18446744073709551615 1", UInt64.max, [1]),
    ])
    func `a word of digits is its number`(_ text: String, _ reader: UInt64, _ items: [UInt64]) throws {
        let lines = try added(text)
        #expect(lines.readers == [reader] && lines.items == items)
    }

    @Test func `any other word is hashed, the same each time, and differs from others`() throws {
        // Of the two that do not fit 64 bits, the first is 0 there, the second the number behind it.
        let words = [
            "ann", "Ann", "-1", "+1", "1.0", "Zoë", "9780306406157X", "18446744073709551616", "0",
            "99999999999999999999", "7766279631452241919",
        ]
        let ids = try words.map { try added("\($0) 1").readers[0] }

        #expect(Set(ids + [1]).count == words.count + 1)
        // FNV-1a of ann, and SplitMix64 of that, reckoned by another program.
        #expect(ids[0] == 12_972_911_246_729_296_188)
    }

    @Test func `a line without words is passed over`() throws {
        for text in ["", "  ", "\t"] { #expect(try added(text).isEmpty) }
    }

    @Test(arguments: [
        (Array("7".utf8), Evaluation.Lines.Fault.noItems), (Array("7 \t".utf8), .noItems),
        ([0x31, 0x20, 0xFF], .notText), ([0x31, 0x20, 0xC3], .notText), ([0x31, 0x00, 0x32], .notText),
    ])
    func `a line that is none is refused and adds nothing`(_ bytes: [UInt8], _ fault: Evaluation.Lines.Fault) throws {
        var lines = try added("1 2")
        #expect(throws: fault) { try lines.add(line: bytes[...]) }
        #expect(lines.readers == [1] && lines.items == [2])
    }

    @Test func `one pair too many is refused`() throws {
        var lines = Evaluation.Lines(pairs: 3)
        try lines.add(reader: 1, items: [1, 1])
        #expect(throws: Evaluation.Lines.Fault.tooManyPairs) { try lines.add(reader: 2, items: [1, 2]) }
        try lines.add(reader: 2, items: [1])
        #expect(throws: Evaluation.Lines.Fault.tooManyPairs) { try lines.add(reader: 3, items: [1]) }
        #expect(lines.readers == [1, 2] && lines.items == [1, 1, 1])
    }
}
