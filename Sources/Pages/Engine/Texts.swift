import Web

/// The words of one language, by key: `book.reviews`.
struct Texts: Sendable {
    private(set) var all: [String: Renderer.Text] = [:]

    /// Each file is an object of objects and texts; an object with `one` and `other` is a text with two forms. What two files say of one
    /// object belongs together. Throws `Template.Fault` for what is none, and for a key that stands twice.
    init(_ files: [(name: String, bytes: [UInt8])]) throws(Template.Fault) {
        for file in files {
            guard let value = try? JSONValue.parse(file.bytes, refusesFaults: true).value,
                case .object(let members) = value
            else { throw Template.Fault(template: file.name, reason: "it is no JSON object") }
            for (name, value) in members { try add(value, at: name, of: file.name) }
        }
    }

    private mutating func add(_ value: JSONValue, at key: String, of file: String) throws(Template.Fault) {
        switch value {
        case .string(let text): try put(.one(Self.shown(text)), at: key, of: file)
        case .object(let members):
            if members.count == 2, case .string(let one)? = members["one"], case .string(let other)? = members["other"]
            {
                return try put(.plural(one: Self.shown(one), other: Self.shown(other)), at: key, of: file)
            }
            for (name, value) in members { try add(value, at: key + "." + name, of: file) }
        default: throw Template.Fault(template: file, reason: "\(key) is no text")
        }
    }

    private mutating func put(_ text: Renderer.Text, at key: String, of file: String) throws(Template.Fault) {
        guard all.updateValue(text, forKey: key) == nil else {
            throw Template.Fault(template: file, reason: "\(key) stands twice")
        }
    }

    private static func shown(_ text: String) -> [UInt8] { Array(HTML.escaped(text).utf8) }

    /// What `key` says; `nil` where there is no such text, or one of two forms.
    func text(_ key: String) -> String? {
        guard case .one(let text)? = all[key] else { return nil }
        return String(decoding: text, as: UTF8.self)
    }

    /// A text with two forms, for `number`.
    func count(_ key: String, _ number: Int64) -> String {
        guard case .plural(let one, let other)? = all[key] else { return String(number) }
        return String(decoding: number == 1 ? one : other, as: UTF8.self).replacing("{n}", with: String(number))
    }

    /// A made-up language: accented and 40 % longer, so that a word that is not in the catalogue can be seen, and what is too narrow.
    /// Names in braces and entities stay.
    var pseudo: Texts {
        var texts = self
        for (key, text) in all where key != "format.months" {
            texts.all[key] =
                switch text {
                case .one(let text): .one(Self.accented(text))
                case .plural(let one, let other): .plural(one: Self.accented(one), other: Self.accented(other))
                }
        }
        return texts
    }

    private static let accents: [Character: Character] = [
        "a": "å", "e": "é", "i": "ï", "o": "ö", "u": "ü", "n": "ñ", "c": "ç", "y": "ý", "s": "š", "A": "Å", "E": "É",
        "I": "Ï",
        "O": "Ö", "U": "Ü", "N": "Ñ", "C": "Ç", "S": "Š",
    ]

    private static func accented(_ text: [UInt8]) -> [UInt8] {
        var made = ""
        var (letters, inName) = (0, false)
        for character in String(decoding: text, as: UTF8.self) {
            if character == "{" || character == "&" { inName = true }
            made.append(inName ? character : accents[character] ?? character)
            if character == "}" || character == ";" { inName = false }
            letters += 1
        }
        made += String(repeating: "·", count: (letters * 2 + 4) / 5)
        return Array(made.utf8)
    }
}
