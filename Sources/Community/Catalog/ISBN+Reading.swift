extension ISBN {
    /// What a text turned out to be that somebody typed or a scanner read: an ISBN, the number of something else, or an
    /// ISBN with a fault.
    package struct Reading: Hashable, Sendable {
        /// As it was sent.
        package let code: String
        /// What it is.
        package let outcome: Outcome

        /// What a code can be.
        package enum Outcome: Hashable, Sendable {
            /// `addOn` is the two or five digits beside the barcode, which scanners append: a price or an issue.
            case isbn(ISBN, Form, addOn: String?)
            case other(Article)
            case faulty(Explanation)
        }

        /// Reads any text; the longest that calls send is `Limits.catalog.code`.
        package init(_ code: String) {
            self.code = code
            outcome = Self.read(code)
        }

        /// `nil` for what is no ISBN or has a fault.
        package var isbn: ISBN? {
            if case .isbn(let isbn, _, _) = outcome { isbn } else { nil }
        }
    }

    /// How an ISBN was written.
    package enum Form: String, Sendable, CaseIterable {
        case thirteen = "isbn13"
        case ten = "isbn10"
        /// Nine digits, as before 1970.
        case sbn
    }

    /// What has a number or barcode and is no book. The number's own check digit holds.
    package enum Article: String, Sendable, CaseIterable {
        case issn, ismn, ean13, ean8, upc
        case addOn = "add_on"

        /// One sentence for people.
        package var detail: String {
            switch self {
            case .issn: "This is an ISSN, the number of a magazine or newspaper."
            case .ismn: "This is an ISMN, the number of printed music (979-0 or M)."
            case .ean13: "This barcode belongs to an article that is no book: those of books begin with 978 or 979."
            case .ean8: "This is an EAN-8, the short barcode of an article that is no book."
            case .upc: "This is a UPC, an American shop's barcode; the ISBN stands elsewhere on the book."
            case .addOn: "This is the price or issue beside a barcode; the ISBN is the longer one."
            }
        }
    }

    /// What exactly is wrong.
    package struct Explanation: Hashable, Sendable {
        /// Stable: `empty`, `character`, `length`, `prefix`, `check_digit`, `placeholder`.
        package let code: String
        /// For people, in English.
        package let detail: String
        /// The check digit that would be right, or the lengths that there are.
        package var expected: String?
        /// What stands there instead.
        package var found: String?
        /// Of the character that does not belong there: 1 is the first that was sent.
        package var position: Int?
    }
}

extension ISBN.Reading {
    private static func read(_ code: String) -> Outcome {
        do throws(ISBN.Fault) {
            let isbn = try ISBN(code)
            let count = (try? ISBN.digits(of: Array(code.utf8)).count) ?? 13
            return .isbn(isbn, count == 13 ? .thirteen : count == 10 ? .ten : .sbn, addOn: nil)
        } catch {
            let marks = Marks(code)
            if let (isbn, addOn) = marks.isbnWithAddOn { return .isbn(isbn, .thirteen, addOn: addOn) }
            if let article = marks.article { return .other(article) }
            return .faulty(explain(error, code, marks))
        }
    }

    private static func explain(_ fault: ISBN.Fault, _ code: String, _ marks: Marks) -> ISBN.Explanation {
        switch fault {
        case .empty: return ISBN.Explanation(code: "empty", detail: "There are no digits.")
        case .character:
            guard let (position, character) = stranger(in: code) else {
                return ISBN.Explanation(
                    code: "character", detail: "An X stands for ten, and only as the last of ten characters.",
                    found: "X")
            }
            return ISBN.Explanation(
                code: "character", detail: "Character \(position) is none that an ISBN has there.",
                found: String(character), position: position)
        case .length(let count):
            return ISBN.Explanation(
                code: "length", detail: "There are \(count) digits; an ISBN has 13 or 10, an old SBN 9.",
                expected: "13, 10 or 9", found: String(count))
        case .prefix:
            return ISBN.Explanation(
                code: "prefix",
                detail:
                    "13 digits of a book begin with 978 or with 979 and no 0, and the last digit is wrong for any barcode.",
                expected: "978 or 979", found: String(marks.text.prefix(3)))
        case .checkDigit(let digit):
            let expected = digit == 10 ? "X" : String(digit)
            let found = marks.text.last.map(String.init) ?? ""
            return ISBN.Explanation(
                code: "check_digit",
                detail:
                    "The last character should be \(expected) and is \(found): some digit was mistaken or two were swapped.",
                expected: expected, found: found)
        case .placeholder:
            return ISBN.Explanation(
                code: "placeholder", detail: "It is a placeholder of zeros, not the number of a book.")
        }
    }

    /// The first character that is neither digit, X at the end, space nor dash, counted from 1; `nil` where an X stands
    /// too early.
    private static func stranger(in code: String) -> (position: Int, character: Character)? {
        let skipped = code.utf8.count - ((try? ISBN.withoutPrefix(Array(code.utf8)[...]).count) ?? code.utf8.count)
        let characters = Array(code)
        for (index, character) in characters.enumerated() where index >= skipped {
            let isDash =
                character == "-" || character == " " || character == "\t" || character == "\u{A0}"
                || ("\u{2010}"..."\u{2015}").contains(character) || character == "\u{2212}" || character == "\u{AD}"
            let isDigit = character.isASCII && character.isNumber
            let isX = character == "x" || character == "X"
            if !isDash, !isDigit, !isX { return (index + 1, character) }
        }
        return nil
    }
}

/// The letters and digits of a code without spaces and dashes: what numbers of other things are told by.
private struct Marks {
    /// At most 40, upper case.
    let text: String
    private let digits: [Int]
    private let hasDash: Bool

    init(_ code: String) {
        var text = ""
        var hasDash = false
        for character in code where text.utf8.count < 40 {
            if character.isASCII, character.isLetter || character.isNumber {
                text.append(character.uppercased())
            } else if !character.isWhitespace {
                hasDash = true
            }
        }
        for prefix in ["ISSN", "ISMN", "EAN", "UPC", "ISBN"] where text.hasPrefix(prefix) && text.count > prefix.count {
            text.removeFirst(prefix.count)
            break
        }
        self.text = text
        self.hasDash = hasDash
        digits = text.compactMap { $0.isNumber ? $0.wholeNumberValue : nil }
    }

    private var isAllDigits: Bool { digits.count == text.utf8.count }

    /// Thirteen digits of a book and behind them the two or five of the smaller barcode.
    var isbnWithAddOn: (ISBN, String)? {
        guard isAllDigits, digits.count == 15 || digits.count == 18, let isbn = try? ISBN(text.prefix(13)) else {
            return nil
        }
        return (isbn, String(text.dropFirst(13)))
    }

    var article: ISBN.Article? {
        if text.utf8.count == 8 {
            if isISSN, hasDash || !isEAN(digits) { return .issn }
            return isAllDigits && isEAN(digits) ? .ean8 : isISSN ? .issn : nil
        }
        if text.utf8.count == 10, text.first == "M", digits.count == 9, isEAN([9, 7, 9, 0] + digits) { return .ismn }
        guard isAllDigits else { return nil }
        switch digits.count {
        case 2, 5: return .addOn
        case 12: return isEAN(digits) ? .upc : nil
        case 13:
            guard isEAN(digits) else { return nil }
            if text.hasPrefix("977") { return .issn }
            if text.hasPrefix("9790") { return .ismn }
            return text.hasPrefix("978") || text.hasPrefix("979") ? nil : .ean13
        default: return nil
        }
    }

    /// Weights 3 and 1 in turn from the right, the check digit's own being 1: EAN-13, EAN-8 and UPC alike.
    private func isEAN(_ digits: [Int]) -> Bool {
        guard digits.contains(where: { $0 != 0 }) else { return false }
        var sum = 0
        for (index, digit) in digits.reversed().enumerated() { sum += digit * (index % 2 == 0 ? 1 : 3) }
        return sum % 10 == 0
    }

    /// Weights 8 down to 2 over seven digits, modulo 11; X is ten.
    private var isISSN: Bool {
        let last = text.last == "X" ? 10 : text.last?.wholeNumberValue
        guard let last, digits.count == (last == 10 ? 7 : 8), digits.contains(where: { $0 != 0 }) else { return false }
        var sum = 0
        for (index, digit) in digits.prefix(7).enumerated() { sum += digit * (8 - index) }
        return (sum + last) % 11 == 0
    }
}
