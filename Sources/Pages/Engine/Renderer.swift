import Web

/// All templates, and the texts of one language: what pages are written with.
struct Renderer: Sendable {
    private let templates: [String: Template]
    private let texts: [Text]
    private let words: Formats

    /// A text of the catalogue, as it stands between tags: of one form, or of two for a number.
    enum Text: Sendable {
        case one([UInt8])
        case plural(one: [UInt8], other: [UInt8])
    }

    init(_ templates: [String: Template], texts: [Text], words: Formats) {
        (self.templates, self.texts, self.words) = (templates, texts, words)
    }

    /// Members of the context that stand before those of the answer, which has some of the same names.
    private static let own = ["page", "form", "me"].map { Array($0.utf8) }
    private static let guardName = Array("guard".utf8)
    /// What is asked for first.
    static let answer = Array("answer".utf8)

    /// The page that `template` makes of `tape`, in UTF-8: an object with the member `answer`, whose members are named directly, and others.
    /// `check` has seen to it that the template is there.
    func page(_ template: String, _ tape: JSONTape) -> [UInt8] {
        var run = Run(renderer: self, tape: tape)
        run.output.reserveCapacity(4 * tape.bytes.count + 8_192)
        if let answer = tape.member(Self.answer, of: 0) { run.stack.append(answer) }
        if let template = templates[template] { run.write(template.parts) }
        return run.output
    }

    private struct Run {
        let renderer: Renderer
        let tape: JSONTape
        var output: [UInt8] = []
        /// What is current, by its number, the outermost first: the whole context, then the answer.
        var stack: [Int32] = [0]
        /// What fills the blocks of parents, the outermost template's first.
        var blocks: [[String: [Template.Part]]] = []

        mutating func write(_ parts: [Template.Part]) {
            for part in parts { write(part) }
        }

        private mutating func write(_ part: Template.Part) {
            switch part {
            case .bytes(let bytes): output.append(contentsOf: bytes)
            case .say(let number): if case .one(let text) = renderer.texts[number] { output.append(contentsOf: text) }
            case .value(let path, let word, let isHTML): writeValue(path, word, isHTML)
            case .section(let path, let word, let isInverted, let parts): section(path, word, isInverted, parts)
            case .partial(let name): if let template = renderer.templates[name] { write(template.parts) }
            case .parent(let name, let filled):
                guard let template = renderer.templates[name] else { return }
                blocks.append(filled)
                write(template.parts)
                blocks.removeLast()
            case .block(let name, let parts): write(blocks.first { $0[name] != nil }?[name] ?? parts)
            }
        }

        private mutating func section(
            _ path: Template.Path, _ word: Template.Word?, _ isInverted: Bool, _ parts: [Template.Part]
        ) {
            let value = find(path)
            let isThere = value.map { self.isThere($0, word) } ?? false
            guard isThere != isInverted else { return }
            guard isThere, word == nil, let value else { return write(parts) }
            switch tape.values[Int(value)].kind {
            case .array: for element in tape.elements(of: value) { write(parts, in: element) }
            case .object, .text: write(parts, in: value)
            default: write(parts)
            }
        }

        private mutating func write(_ parts: [Template.Part], in value: Int32) {
            stack.append(value)
            write(parts)
            stack.removeLast()
        }

        private func isThere(_ index: Int32, _ word: Template.Word?) -> Bool {
            let value = tape.values[Int(index)]
            switch word {
            case .equals(let text): return value.kind == .text && said(value).elementsEqual(text)
            case .isMe:
                guard let mine = tape.member(Renderer.own[2], of: 0).flatMap({ tape.member(Array("id".utf8), of: $0) })
                else { return false }
                return value.kind == .text && said(value).elementsEqual(said(tape.values[Int(mine)]))
            case .same(let others):
                guard value.kind == .text || value.kind == .number else { return false }
                return others.contains { other in
                    start(of: other).map { isSaid(tape.text(index), at: other.names.dropFirst(), of: $0) } ?? false
                }
            default: break
            }
            switch value.kind {
            case .null, .no: return false
            case .array: return value.next > index + 1
            case .text: return word != .has || value.end > value.start
            case .yes, .number, .object: return true
            }
        }

        private func said(_ value: JSONTape.Value) -> ArraySlice<UInt8> {
            tape.bytes[Int(value.start)..<Int(value.end)]
        }

        /// Whether `text` is said at the end of `way`. Where that leads through an array and names no place in it, any of
        /// its elements may say it.
        private func isSaid(_ text: String, at way: ArraySlice<[UInt8]>, of place: Int32) -> Bool {
            if let name = way.first, let next = tape.step(name, from: place) {
                return isSaid(text, at: way.dropFirst(), of: next)
            }
            switch tape.values[Int(place)].kind {
            case .array: return tape.elements(of: place).contains { isSaid(text, at: way, of: $0) }
            case .text, .number: return way.isEmpty && tape.text(place).utf8.elementsEqual(text.utf8)
            case .null, .yes, .no, .object: return false
            }
        }

        private func find(_ path: Template.Path) -> Int32? {
            guard var value = start(of: path) else { return nil }
            for name in path.names.dropFirst() {
                guard let found = tape.step(name, from: value) else { return nil }
                value = found
            }
            return value
        }

        /// What the first name of a path names. Looked for where the template stands, then further out. What belongs to
        /// the page comes first, whatever the answer has of that name.
        private func start(of path: Template.Path) -> Int32? {
            guard let first = path.names.first else { return stack.last }
            if path.names.count > 1 ? Renderer.own.contains(first) : first == Renderer.guardName {
                return tape.member(first, of: 0)
            }
            for value in stack.reversed() {
                if let found = tape.member(first, of: value) { return found }
            }
            return nil
        }

        private mutating func writeValue(_ path: Template.Path, _ word: Template.Word?, _ isHTML: Bool) {
            guard let index = find(path) else { return }
            let value = tape.values[Int(index)]
            switch value.kind {
            case .null, .array, .object: return
            case .yes, .no, .number, .text: break
            }
            guard let word else {
                if isHTML { return tape.appendText(of: value, to: &output) }
                guard !value.isPlain else {
                    return HTML.append(tape.bytes[Int(value.start)..<Int(value.end)], to: &output)
                }
                var said: [UInt8] = []
                tape.appendText(of: value, to: &said)
                return HTML.append(said[...], to: &output)
            }
            renderer.write(word, of: tape.text(index), to: &output)
        }
    }

    /// Writes what `word` makes of what a value says.
    private func write(_ word: Template.Word, of value: String, to output: inout [UInt8]) {
        if case .count(let number) = word {
            return write(texts[number], "{n}", words.number(value), isOne: value == "1", to: &output)
        }
        if case .say(let number) = word {
            return write(texts[number], "{value}", value, isOne: false, to: &output)
        }
        let made =
            switch word {
            case .date: words.date(value)
            case .day: words.day(value)
            case .ago: words.ago(value)
            case .number: words.number(value)
            case .decimal: words.decimal(value)
            case .stars: words.stars(value)
            case .percent: words.percent(value)
            case .url: Query.encode(value)
            case .last: words.last(value)
            case .brief: words.brief(value)
            case .has, .equals, .isMe, .same, .count, .say: ""
            }
        HTML.append(Array(made.utf8)[...], to: &output)
    }

    /// Writes a text with `value` in each of its places.
    private func write(_ text: Text, _ place: String, _ value: String, isOne: Bool, to output: inout [UInt8]) {
        let form =
            switch text {
            case .one(let text): text
            case .plural(let one, let other): isOne ? one : other
            }
        output += String(decoding: form, as: UTF8.self).replacing(place, with: HTML.escaped(value)).utf8
    }
}

/// What text becomes between tags and in quoted attributes.
enum HTML {
    static func escaped(_ text: String) -> String {
        var output: [UInt8] = []
        append(Array(text.utf8)[...], to: &output)
        return String(decoding: output, as: UTF8.self)
    }

    static func append(_ text: ArraySlice<UInt8>, to output: inout [UInt8]) {
        var start = text.startIndex
        for index in text.indices {
            let entity: StaticString
            switch text[index] {
            case UInt8(ascii: "&"): entity = "&amp;"
            case UInt8(ascii: "<"): entity = "&lt;"
            case UInt8(ascii: ">"): entity = "&gt;"
            case UInt8(ascii: "\""): entity = "&quot;"
            case UInt8(ascii: "'"): entity = "&#39;"
            default: continue
            }
            output.append(contentsOf: text[start..<index])
            entity.withUTF8Buffer { output.append(contentsOf: $0) }
            start = index + 1
        }
        output.append(contentsOf: text[start...])
    }
}
