import ArgumentParser
import Community
import Glibc

/// `commonplace bench generate-openlibrary N FILE`: a dump of N lines to measure imports with.
struct GenerateOpenLibrary: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "generate-openlibrary",
        abstract:
            "Write N made-up Open Library dump lines: authors, works and editions in the proportions of the real dump.")

    @Argument(help: "Lines: 100 to 100 million.")
    var count: Int

    @Argument(help: "The file to write.")
    var file: String

    @Option(help: "The same seed makes the same file.")
    var seed: UInt64 = 1

    func validate() throws {
        guard (100...100_000_000).contains(count) else { throw ValidationError("100 to 100,000,000 lines.") }
    }

    func run() throws {
        let output = try OpenFile.writing(file)
        var dump = DumpGenerator(lines: count, seed: seed)
        var buffer = ""
        while let line = dump.next() {
            buffer += line
            buffer += "\n"
            if buffer.utf8.count > 1 << 20 {
                try output.write(buffer.utf8)
                buffer = ""
            }
        }
        try output.write(buffer.utf8)
        try output.finish()
    }
}

/// Makes dump lines: 13 of 100 authors, then 37 works, then 50 editions, with the fields, lengths and gaps that the real dump has on average.
struct DumpGenerator: IteratorProtocol {
    private let authors: Int
    private let works: Int
    private let lines: Int
    private var line = 0
    private var random: SplitMix

    init(lines: Int, seed: UInt64) {
        self.lines = lines
        authors = max(1, lines * 13 / 100)
        works = max(1, lines * 37 / 100)
        random = SplitMix(state: seed)
    }

    mutating func next() -> String? {
        guard line < lines else { return nil }
        defer { line += 1 }
        if line < authors { return author(line + 1) }
        if line < authors + works { return work(line - authors + 1) }
        return edition(line - authors - works + 1)
    }

    private mutating func author(_ number: Int) -> String {
        let name = capitalised(words(2...3))
        var json = #""name":"\#(name)","personal_name":"\#(name)""#
        if chance(30) { json += #","birth_date":"\#(1700 + roll(300))""# }
        if chance(8) { json += #","death_date":"\#(1800 + roll(220))""# }
        if chance(3) { json += #","bio":{"type":"/type/text","value":"\#(words(20...80))"}"# }
        if chance(3) { json += #","alternate_names":["\#(capitalised(words(2...3)))"]"# }
        return record("author", "/authors/OL\(number)A", json)
    }

    private mutating func work(_ number: Int) -> String {
        var json = #""title":"\#(capitalised(words(1...7)))""#
        if chance(6) { json += #","subtitle":"\#(words(3...8))""# }
        // A few authors write much, most write little.
        let first = min(authors, 1 + Int(Double(authors) * pow(unit(), 2.5)))
        json += #","authors":[{"type":{"key":"/type/author_role"},"author":{"key":"/authors/OL\#(first)A"}}"#
        if chance(10) {
            json += #",{"type":{"key":"/type/author_role"},"author":{"key":"/authors/OL\#(1 + roll(authors))A"}}"#
        }
        json += "]"
        if chance(45) {
            let subjects = (0...roll(5)).map { _ in
                "\"" + Self.subjects[roll(Self.subjects.count)] + (chance(40) ? ", " + words(1...2) : "") + "\""
            }
            json += ",\"subjects\":[\(subjects.joined(separator: ","))]"
        }
        if chance(10) { json += #","subject_places":["\#(capitalised(words(1...2)))"]"# }
        if chance(5) { json += #","description":{"type":"/type/text","value":"\#(words(30...120))"}"# }
        if chance(25) { json += ",\"covers\":[\(1000 + roll(9_000_000))]" }
        if chance(3) { json += #","first_publish_date":"\#(1850 + roll(170))""# }
        return record("work", "/works/OL\(number)W", json)
    }

    private mutating func edition(_ number: Int) -> String {
        var json = #""title":"\#(capitalised(words(1...7)))","publishers":["\#(capitalised(words(1...3)))"]"#
        json += #","publish_date":"\#(Self.months[roll(12)]) \#(1900 + roll(124))""#
        if chance(95) { json += #","works":[{"key":"/works/OL\#(1 + roll(works))W"}]"# }
        if chance(75) { json += #","authors":[{"key":"/authors/OL\#(1 + roll(authors))A"}]"# }
        if chance(60) {
            let nine = number % 1_000_000_000
            let (ten, thirteen) = Self.isbns(nine)
            json += #","isbn_10":["\#(ten)"]"#
            if chance(80) { json += #","isbn_13":["\#(thirteen)"]"# }
        }
        if chance(60) { json += ",\"number_of_pages\":\(16 + roll(900))" }
        if chance(60) { json += #","languages":[{"key":"/languages/\#(Self.languages[roll(Self.languages.count)])"}]"# }
        if chance(60) { json += #","physical_format":"\#(chance(70) ? "Paperback" : "Hardcover")""# }
        if chance(30) { json += #","subtitle":"\#(words(3...8))""# }
        if chance(50) {
            json +=
                #","source_records":["marc:\#(words(1...1))/\#(roll(100_000)).mrc:\#(roll(1_000_000)):\#(roll(2000))"]"#
        }
        if chance(30) {
            json += #","oclc_numbers":["\#(roll(99_999_999))"],"lccn":["\#(70_000_000 + roll(9_999_999))"]"#
        }
        if chance(15) { json += #","notes":{"type":"/type/text","value":"\#(words(5...20))"}"# }
        return record("edition", "/books/OL\(number)M", json)
    }

    private mutating func record(_ type: String, _ key: String, _ json: String) -> String {
        let revision = 1 + roll(8)
        let time =
            "20\(10 + roll(14))-0\(1 + roll(9))-1\(roll(10))T0\(roll(10)):2\(roll(10)):3\(roll(10)).\(100_000 + roll(899_999))"
        return
            "/type/\(type)\t\(key)\t\(revision)\t\(time)\t{\"type\":{\"key\":\"/type/\(type)\"},\"key\":\"\(key)\",\(json)"
            + ",\"latest_revision\":\(revision),\"revision\":\(revision),\"created\":{\"type\":\"/type/datetime\",\"value\":\"2008-04-01T03:28:50.625462\"}"
            + ",\"last_modified\":{\"type\":\"/type/datetime\",\"value\":\"\(time)\"}}"
    }

    /// Both forms of the number with these nine digits.
    private static func isbns(_ nine: Int) -> (String, String) {
        let body = String(String(1_000_000_000 + nine).dropFirst())
        let digits = body.utf8.map { Int($0) - 48 }
        let ten = (11 - digits.enumerated().reduce(0) { $0 + $1.element * (10 - $1.offset) } % 11) % 11
        let sum = ([9, 7, 8] + digits).enumerated().reduce(0) { $0 + $1.element * ($1.offset % 2 == 0 ? 1 : 3) }
        return (body + (ten == 10 ? "X" : String(ten)), "978" + body + String((10 - sum % 10) % 10))
    }

    private mutating func roll(_ bound: Int) -> Int { Int(random.next() % UInt64(max(1, bound))) }
    private mutating func chance(_ percent: Int) -> Bool { roll(100) < percent }
    private mutating func unit() -> Double { Double(random.next() >> 11) / Double(1 << 53) }

    /// Frequent words come often, as in real titles.
    private mutating func words(_ range: ClosedRange<Int>) -> String {
        var result: [String] = []
        for _ in 0..<(range.lowerBound + roll(range.count)) {
            if chance(25) {
                result.append(Self.small[roll(Self.small.count)])
            } else {
                let rank = Int(30_000 * pow(unit(), 3))
                result.append(
                    Self.syllables[rank % 61] + Self.syllables[rank / 61 % 61]
                        + (rank > 3721 ? Self.syllables[rank / 3721] : ""))
            }
        }
        return result.joined(separator: " ")
    }

    private func capitalised(_ text: String) -> String { text.prefix(1).uppercased() + text.dropFirst() }

    private static let small = [
        "the", "of", "and", "a", "in", "to", "for", "on", "with", "de", "la", "und", "der", "I",
    ]
    private static let syllables = [
        "ba", "be", "bi", "bo", "ca", "ce", "co", "da", "de", "di", "do", "fa", "fe", "fi", "ga", "go", "ha", "he",
        "hi", "in", "ja", "jo", "ka", "ke",
        "la", "le", "li", "lo", "lu", "ma", "me", "mi", "mo", "na", "ne", "ni", "no", "pa", "pe", "pi", "po", "ra",
        "re", "ri", "ro", "ru", "sa", "se",
        "si", "so", "ta", "te", "ti", "to", "tu", "va", "ve", "vi", "wa", "zé", "ül",
    ]
    private static let subjects = [
        "Fiction", "History", "Biography", "Science fiction", "Juvenile fiction", "Poetry", "Politics and government",
        "Art", "Philosophy",
        "Description and travel", "Social conditions", "Congresses", "Law and legislation", "Economics", "Religion",
        "Medicine",
    ]
    private static let languages = [
        "eng", "eng", "eng", "eng", "ger", "fre", "spa", "chi", "rus", "ita", "jpn", "ara", "und",
    ]
    private static let months = [
        "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
        "December",
    ]
}

/// A small, fast generator whose numbers are the same everywhere. Method: Steele, Lea and Flood, "Fast splittable pseudorandom number
/// generators", 2014.
struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
        return value ^ value >> 31
    }
}
