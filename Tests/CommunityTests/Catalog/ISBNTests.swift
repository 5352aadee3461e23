import Community
import TestSupport
import Testing

@Suite struct ISBNTests {
    @Test(
        arguments: [
            ("9780439023481", "9780439023481"), ("978-0-439-02348-1", "9780439023481"), ("0439023483", "9780439023481"),
            ("0-439-02348-3", "9780439023481"), ("ISBN 0439023483", "9780439023481"),
            ("isbn:9780439023481", "9780439023481"),
            ("ISBN-13: 978-0-439-02348-1", "9780439023481"), ("ISBN-10: 0-439-02348-3", "9780439023481"),
            ("=\"0439023483\"", "9780439023481"), ("\"0439023483\"", "9780439023481"),
            (" 0439023483\t", "9780439023481"),
            ("978\u{2010}0\u{2011}439\u{2013}02348\u{A0}1", "9780439023481"), ("080442957X", "9780804429573"),
            ("080442957x", "9780804429573"), ("436 20305 7", "9780436203053"), ("340013818", "9780340013816"),
            ("80442957X", "9780804429573"), ("80442957x", "9780804429573"),
            ("9791032300824", "9791032300824"),
        ] as [(String, String?)])
    func `every written form reads as thirteen digits`(text: String, expected: String?) {
        #expect((try? ISBN(text))?.text == expected)
    }

    @Test(
        arguments: [
            ("", .empty), ("isbn", .character), ("97804390234", .length(11)), ("9770439023484", .prefix),
            ("9790000000001", .prefix),
            ("9780439023482", .checkDigit(1)), ("0439023484", .checkDigit(3)), ("0804429571", .checkDigit(10)),
            ("0000000000", .placeholder),
            ("X804429573", .character), ("97804390234X1", .character), ("9.78043902348e+12", .character),
            ("12345678X", .checkDigit(9)), ("1234567X9", .character),
            ("０４３９０２３４８３", .character),
        ] as [(String, ISBN.Fault)])
    func `what is no ISBN says why`(text: String, fault: ISBN.Fault) {
        #expect(throws: fault) { try ISBN(text) }
        #expect(!ISBN.explanation(fault).isEmpty)
    }

    @Test func `ten digits and thirteen lead to each other, and one wrong digit or swap is always noticed`() throws {
        let random = TestRandom(for: "isbn")
        for _ in 0..<500 {
            let nine = random.bytes(9).map { Int($0) % 10 }
            guard nine.contains(where: { $0 != 0 }) else { continue }
            let sum = nine.enumerated().reduce(0) { $0 + $1.element * (10 - $1.offset) }
            let check = (11 - sum % 11) % 11
            let ten = nine.map(String.init).joined() + (check == 10 ? "X" : String(check))
            let isbn = try ISBN(ten)
            #expect(isbn.ten == ten)
            #expect(try ISBN(isbn.text) == isbn)
            #expect(isbn.text.hasPrefix("978") && isbn.text.count == 13)

            var digits = Array(ten)
            let place = Int(random.bytes(1)[0]) % 9
            digits[place] = digits[place] == "9" ? "0" : Character(String((digits[place].wholeNumberValue ?? 0) + 1))
            #expect(throws: ISBN.Fault.self) { try ISBN(String(digits)) }
            digits = Array(ten)
            if place < 8, digits[place] != digits[place + 1] {
                digits.swapAt(place, place + 1)
                #expect(throws: ISBN.Fault.self) { try ISBN(String(digits)) }
            }
        }
    }

    @Test func `979 has no ten-character form`() throws {
        #expect(try ISBN("9791032300824").ten == nil)
    }
}
