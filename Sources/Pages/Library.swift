import Community

/// All templates and texts, checked against each other.
struct Library: Sendable {
    let texts: Texts
    private let templates: [String: Template]
    private let keys: Template.TextKeys

    /// Throws `Template.Fault` for a template that names a template or text that is not there, or a text in the wrong form.
    init(_ sources: [String: [UInt8]] = Files.templates, texts files: [(name: String, bytes: [UInt8])] = Files.texts)
        throws
    {
        texts = try Texts(files)
        var keys = Template.TextKeys()
        var templates: [String: Template] = [:]
        for (name, source) in sources.sorted(by: { $0.key < $1.key }) {
            templates[name] = try Template(name, String(decoding: source, as: UTF8.self), texts: &keys)
        }
        (self.templates, self.keys) = (templates, keys)
        for template in templates.values { try check(template.parts, of: template.name) }
    }

    /// Keys of texts that no template names. `others`: those that the program names.
    func unused(besides others: Set<String> = []) -> [String] {
        Set(texts.all.keys).subtracting(keys.keys).subtracting(others).sorted()
    }

    func has(_ template: String) -> Bool { templates[template] != nil }

    func renderer(_ texts: Texts, clock: any WallClock) -> Renderer {
        Renderer(
            templates, texts: keys.keys.map { texts.all[$0] ?? .one(Array($0.utf8)) },
            words: Formats(texts, clock: clock))
    }

    private func check(_ parts: [Template.Part], of name: String) throws {
        for part in parts {
            switch part {
            case .bytes: break
            case .say(let number): try check(number, isPlural: false, of: name)
            case .value(_, let word, _): try check(word, of: name)
            case .section(_, let word, _, let inner):
                try check(word, of: name)
                try check(inner, of: name)
            case .partial(let other): try check(isThere: other, of: name)
            case .parent(let other, let blocks):
                try check(isThere: other, of: name)
                for inner in blocks.values { try check(inner, of: name) }
            case .block(_, let inner): try check(inner, of: name)
            }
        }
    }

    private func check(isThere other: String, of name: String) throws {
        guard has(other) else { throw Template.Fault(template: name, reason: "there is no template \(other)") }
    }

    private func check(_ word: Template.Word?, of name: String) throws {
        switch word {
        case .count(let number): try check(number, isPlural: true, of: name)
        case .say(let number): try check(number, isPlural: false, of: name)
        default: break
        }
    }

    private func check(_ number: Int, isPlural: Bool, of name: String) throws {
        let key = keys.keys[number]
        switch (texts.all[key], isPlural) {
        case (.one, false), (.plural, true): break
        case (nil, _): throw Template.Fault(template: name, reason: "there is no text \(key)")
        default: throw Template.Fault(template: name, reason: "the text \(key) has the wrong form")
        }
    }
}
