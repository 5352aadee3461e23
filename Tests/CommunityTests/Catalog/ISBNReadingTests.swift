import TestSupport
import Testing

@testable import Community

/// What a text is that somebody typed or a scanner read, and what exactly is wrong with it.
@Suite struct ISBNReadingTests {
    @Test(
        arguments: [
            ("978-0-441-17271-9", .thirteen, nil), ("0441172717", .ten, nil), ("ISBN-10: 0-441-17271-7", .ten, nil),
            ("436203057", .sbn, nil), ("9780441172719 52995", .thirteen, "52995"), ("978044117271902", .thirteen, "02"),
        ] as [(String, ISBN.Form, String?)])
    func `an ISBN is told with its form and what a scanner appends`(text: String, form: ISBN.Form, addOn: String?) {
        guard case .isbn(_, let read, let add) = ISBN.Reading(text).outcome else {
            Issue.record("\(text) is \(ISBN.Reading(text).outcome)")
            return
        }
        #expect(read == form && add == addOn)
    }

    @Test(
        arguments: [
            ("9770317847001", .issn), ("ISSN 0317-8471", .issn), ("2434-561X", .issn), ("9790230671187", .ismn),
            ("M-2306-7118-7", .ismn), ("4006381333931", .ean13), ("036000291452", .upc), ("73513537", .ean8),
            ("52995", .addOn), ("02", .addOn),
        ] as [(String, ISBN.Article)])
    func `the number of something else is named`(text: String, article: ISBN.Article) {
        #expect(ISBN.Reading(text).outcome == .other(article))
        #expect(!article.detail.isEmpty)
    }

    @Test(
        arguments: [
            ("", "empty", nil, nil, nil), (" - ", "empty", nil, nil, nil), ("isbn", "character", nil, "i", 1),
            ("978044117271", "length", "13, 10 or 9", "12", nil), ("04411727177", "length", "13, 10 or 9", "11", nil),
            ("9780441172718", "check_digit", "9", "8", nil), ("080442957-1", "check_digit", "X", "1", nil),
            ("0441172771", "check_digit", nil, "1", nil), ("4006381333932", "prefix", "978 or 979", "400", nil),
            ("04411O2717", "character", nil, "O", 6), ("ISBN 04411?2717", "character", nil, "?", 11),
            ("X804429573", "character", nil, "X", nil), ("0000000000", "placeholder", nil, nil, nil),
            ("９780441172719", "character", nil, "９", 1),
        ] as [(String, String, String?, String?, Int?)])
    func `what is wrong is said exactly`(
        text: String, code: String, expected: String?, found: String?, position: Int?
    ) {
        guard case .faulty(let why) = ISBN.Reading(text).outcome else {
            Issue.record("\(text) is \(ISBN.Reading(text).outcome)")
            return
        }
        #expect(why.code == code && why.found == found && why.position == position, "\(why)")
        if let expected { #expect(why.expected == expected) }
        #expect(!why.detail.isEmpty)
    }

    @Test func `no text breaks the reading`() {
        let random = TestRandom(for: "readings")
        let pieces = ["9", "978", "0", "X", "-", " ", "ISBN", "é", "😀", "\u{0}", "M", "5", "\u{200F}", "=\""]
        for _ in 0..<2000 { _ = ISBN.Reading(random.bytes(12).map { pieces[Int($0) % pieces.count] }.joined()) }
        _ = ISBN.Reading(String(repeating: "9", count: 100_000))
    }
}
