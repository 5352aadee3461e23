import TestSupport
import Testing

@testable import Community

@Suite struct CSVTests {
    private func records(_ text: String, separator: Character = ",") throws -> [String] {
        let file = try TemporaryFile("a.csv", Array(text.utf8))
        var reader = CSVReader(try LineReader(file.path), separator: separator.asciiValue ?? 44)
        var all: [String] = []
        while let record = try reader.next() {
            switch record.fields {
            case .success(let fields): all.append("\(record.line):" + fields.joined(separator: "|"))
            case .failure(let reject): all.append("\(record.line)!\(reject.code)")
            }
        }
        return all
    }

    @Test func `quotes hold separators, line ends and quotes`() throws {
        #expect(
            try records("a,b\r\n\"x,\"\"y\"\"\",\"two\nlines\"\n\nlast,") == [
                "1:a|b", "2:x,\"y\"|two\nlines", "5:last|",
            ])
        #expect(try records("a;\"b;c\"\n", separator: ";") == ["1:a|b;c"])
        #expect(try records("=\"0439023483\",x\n") == ["1:=\"0439023483\"|x"])
    }

    @Test func `a broken record is refused alone`() throws {
        #expect(try records("a,b\n\"x\"y,z\nc,d\n") == ["1:a|b", "2!csv", "3:c|d"])
        #expect(try records("a,b\n\"never closed,z\nc,d\ne,f\n") == ["1:a|b", "2!csv", "3:c|d", "4:e|f"])
        #expect(try records("a,b\nx\u{0}y,z\nc,d") == ["1:a|b", "2!nul", "3:c|d"])
    }

    @Test func `the goodbooks preset pads ISBNs and takes the long one only where it is whole`() throws {
        let header = [
            "work_id", "goodreads_book_id", "title", "authors", "isbn", "isbn13", "original_publication_year",
            "language_code",
        ]
        var books = try CSVBooks(.goodbooks, header: header)
        let first = try books.book(
            [
                "7", "9", "Twilight (Twilight, #1)", "Stephenie Meyer, An Other", "439023483", "9.78043902348e+12",
                "-720.0", "en-US",
            ])
        #expect(first.key == "7" && first.editionKey == "9" && first.title == "Twilight")
        #expect(first.isbns.map(\.text) == ["9780439023481"])
        #expect(first.authors == ["Stephenie Meyer", "An Other"] && first.year == -720 && first.language == "en-US")
        let whole = try books.book(["8", "8", "T", "A", "", "9780439023481", "", ""])
        #expect(whole.isbns.map(\.text) == ["9780439023481"] && whole.year == nil)
        let cut = try books.book(["8", "8", "T", "A", "", "9.78043902348e+12", "", ""])
        #expect(cut.isbns.isEmpty)
        #expect(throws: Catalog.Reject.self) { try books.book(["too", "short"]) }
        #expect(throws: Catalog.Reject.self) { try books.book(["", "8", "T", "A", "", "", "", ""]) }
    }

    @Test func `a mapping file names its columns, and its faults are told at once`() throws {
        let mapping = try CSVMapping(
            text:
                "# ours\n@source = our-books\n@separator = ;\n@author-separator = &\nId = key\nName of it = title\nISBN = isbn\n",
            defaultSource: "file")
        #expect(mapping.source == "our-books" && mapping.separator == 59 && mapping.authorSeparator == "&")
        #expect(mapping.columns["name of it"] == .title)
        #expect(try CSVMapping(text: "Id = key\r\nB = title\r\n", defaultSource: "file").columns["b"] == .title)
        var books = try CSVBooks(mapping, header: ["\u{FEFF}id", "Name of it", "isbn", "Else"])
        let book = try books.book(["1", "A title", "=\"0439023483\"", "ignored"])
        #expect(book.key == "1" && book.title == "A title" && book.isbns.count == 1)
        #expect {
            try CSVMapping(text: "nonsense\nA = nothing\n@source = Not Plain\n", defaultSource: "file")
        } throws: { error in
            guard case Failure.invalid(let faults) = error else { return false }
            return faults.count == 4
        }
    }
}
