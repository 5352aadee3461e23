extension Catalog {
    /// One field of a book, an edition or an author, with its rule.
    package struct Field: Sendable {
        /// What a field is called: in bodies, on the command line, in stored facts and among locks.
        package enum Name: String, Sendable, Hashable, CaseIterable, Codable, CodingKeyRepresentable, Comparable {
            case title, subtitle, description, year, language, kind, form, authors, genres, subjects, series
            case book, publisher, published, pages, minutes, format, isbns, contributors
            /// Words of `Accessibility`, and the same for people.
            case accessModes = "access_modes"
            case accessibilityFeatures = "accessibility_features"
            case accessibilityHazards = "accessibility_hazards"
            case accessibilitySummary = "accessibility_summary"
            case name, aliases, birth, death
            /// Names of the fields that imports leave alone.
            case locked
            /// The id of an edition's picture.
            case cover
            /// Where an edition's chapters begin: each a part of its title and, in ten-thousandths, its position.
            case chapters
            /// In the record of a merge: the id of what the thing turned out to be.
            case into

            package static func < (left: Name, right: Name) -> Bool { left.rawValue < right.rawValue }
        }

        /// What values a field takes.
        package enum Rule: Sendable {
            /// Bytes of text.
            case text(ClosedRange<Int>)
            case number(ClosedRange<Int>)
            case choice([String])
            /// Any of these words, each once.
            case words([String])
            /// Any written form of a language; kept as BCP 47.
            case language
            /// So many texts of so many bytes.
            case texts(count: Int, bytes: ClosedRange<Int>)
            /// Slugs of `Genres`, or labels that mean one.
            case genres
            case isbns
            /// Names of fields of the same thing.
            case fieldNames
            /// Authors by id or name, with a `Role`, which must be there or may be.
            case authors(needRole: Bool)
            /// Series by name, with a position.
            case series
            /// Subjects by name, with a kind.
            case subjects
            /// A book's id.
            case book

            /// Of a list of texts: how many it holds as it is sent, and the bytes of each.
            package var list: (count: Int, bytes: ClosedRange<Int>)? {
                switch self {
                case .texts(let count, let bytes): (count, bytes)
                case .genres: (Limits.catalog.genres, Limits.catalog.genreLabel)
                case .isbns: (Limits.catalog.isbns, Limits.catalog.writtenISBN)
                case .fieldNames: (Limits.catalog.lockedFields, Limits.catalog.fieldName)
                case .words(let words): (words.count, 1...(words.map(\.utf8.count).max() ?? 1))
                default: nil
                }
            }
        }

        package let name: Name
        package let rule: Rule
        /// Must not be null or empty.
        package let isRequired: Bool
        /// Only librarians may set it, and nobody may propose it.
        package let isForLibrarians: Bool

        init(_ name: Name, _ rule: Rule, isRequired: Bool = false, isForLibrarians: Bool = false) {
            self.name = name
            self.rule = rule
            self.isRequired = isRequired
            self.isForLibrarians = isForLibrarians
        }

        /// The fields of a book, an edition or an author, in the order in which they are shown.
        package static func all(of kind: Thing.Kind) -> [Field] {
            switch kind {
            case .book: book
            case .edition: edition
            case .author: author
            }
        }

        package static let book = [
            Field(.title, .text(Limits.catalog.title), isRequired: true),
            Field(.subtitle, .text(Limits.catalog.title)),
            Field(.description, .text(Limits.catalog.description)), Field(.year, .number(Limits.catalog.year)),
            Field(.language, .language),
            Field(.kind, .choice(WorkKind.allCases.map(\.rawValue)), isRequired: true),
            Field(.form, .choice(["fiction", "nonfiction", "poetry"])), Field(.authors, .authors(needRole: false)),
            Field(.genres, .genres), Field(.subjects, .subjects), Field(.series, .series),
            Field(.locked, .fieldNames, isForLibrarians: true),
        ]

        package static let edition = [
            Field(.book, .book, isRequired: true, isForLibrarians: true), Field(.title, .text(Limits.catalog.title)),
            Field(.subtitle, .text(Limits.catalog.title)), Field(.publisher, .text(Limits.catalog.publisher)),
            Field(.published, .text(Limits.catalog.note)), Field(.pages, .number(Limits.catalog.pages)),
            Field(.minutes, .number(Limits.catalog.minutes)), Field(.language, .language),
            Field(.format, .text(Limits.catalog.note)), Field(.isbns, .isbns),
            Field(.contributors, .authors(needRole: true)), Field(.accessModes, .words(Accessibility.modes)),
            Field(.accessibilityFeatures, .words(Accessibility.features)),
            Field(.accessibilityHazards, .words(Accessibility.hazards)),
            Field(.accessibilitySummary, .text(Limits.catalog.accessibilitySummary)),
            Field(.locked, .fieldNames, isForLibrarians: true),
        ]

        package static let author = [
            Field(.name, .text(Limits.catalog.name), isRequired: true),
            Field(.aliases, .texts(count: Limits.catalog.aliases, bytes: Limits.catalog.name)),
            Field(.birth, .text(Limits.catalog.note)),
            Field(.death, .text(Limits.catalog.note)), Field(.description, .text(Limits.catalog.description)),
            Field(.locked, .fieldNames, isForLibrarians: true),
        ]
    }
}

extension Catalog.Field {
    /// The fact in its stored form, or `nil` and faults under `/name`.
    func checked(_ fact: Catalog.Fact, among names: [Name], into faults: inout Faults) -> Catalog.Fact? {
        let before = faults.all.count
        let result = shaped(fact, among: names, into: &faults)
        guard faults.all.count == before else { return nil }
        if isRequired, result == .none { faults.add("/\(name.rawValue)", .required, "must not be empty") }
        return faults.all.count == before ? result : nil
    }

    private func shaped(_ fact: Catalog.Fact, among names: [Name], into faults: inout Faults) -> Catalog.Fact {
        if case .texts(let texts) = fact, let list = rule.list {
            let before = faults.all.count
            faults.require(texts.count <= list.count, "/\(name.rawValue)", .tooLong, "at most \(list.count) elements")
            for (index, text) in texts.prefix(list.count).enumerated() where text.utf8.count > list.bytes.upperBound {
                faults.add("/\(name.rawValue)/\(index)", .tooLong, "at most \(list.bytes.upperBound) bytes")
            }
            // What is too long or too many is not looked at.
            guard faults.all.count == before else { return .none }
        }
        switch (rule, fact) {
        case (.texts, .none), (.genres, .none), (.isbns, .none), (.fieldNames, .none), (.words, .none):
            return .texts([])
        case (.authors, .none), (.series, .none), (.subjects, .none): return .parts([])
        case (_, .none): return .none
        case (.text(let bytes), .text(let text)): return checked(text, bytes, into: &faults)
        case (.number(let range), .number(let number)):
            faults.require(
                range.contains(number), "/\(name.rawValue)", .outOfRange,
                "must be \(range.lowerBound) to \(range.upperBound)"
            )
            return .number(number)
        case (.choice(let choices), .text(let text)):
            faults.require(
                choices.contains(text), "/\(name.rawValue)", .unknown,
                "must be one of \(choices.joined(separator: ", "))")
            return .text(text)
        case (.language, .text(let text)):
            guard let tag = Languages.tag(text) else {
                faults.add("/\(name.rawValue)", .badFormat, "must be a language tag such as en or pt-BR")
                return .none
            }
            return .text(tag)
        case (.book, .text(let text)):
            faults.require(
                ID<Catalog.Work>(text: text) != nil, "/\(name.rawValue)", .badFormat, "must be a book's id")
            return .text(text)
        case (.texts(_, let bytes), .texts(let texts)): return checked(texts, bytes, into: &faults)
        case (.genres, .texts(let texts)): return genres(texts, into: &faults)
        case (.isbns, .texts(let texts)): return isbns(texts, into: &faults)
        case (.words(let words), .texts(let texts)):
            for (index, text) in texts.enumerated() where !words.contains(text) {
                faults.add("/\(name.rawValue)/\(index)", .unknown, "must be one of \(words.joined(separator: ", "))")
            }
            return .texts(Array(Set(texts)).sorted())
        case (.fieldNames, .texts(let texts)):
            for text in texts where !names.contains(where: { $0.rawValue == text }) {
                faults.add("/\(name.rawValue)", .unknown, "names `\(text)`, which cannot be locked")
            }
            return .texts(Array(Set(texts)).sorted())
        case (.authors(let needRole), .parts(let parts)): return authors(parts, needRole: needRole, into: &faults)
        case (.series, .parts(let parts)): return series(parts, into: &faults)
        case (.subjects, .parts(let parts)): return subjects(parts, into: &faults)
        default:
            faults.add("/\(name.rawValue)", .wrongType, "has the wrong type")
            return .none
        }
    }

    private func checked(_ text: String, _ bytes: ClosedRange<Int>, into faults: inout Faults, at place: String = "")
        -> Catalog.Fact
    {
        let count = text.utf8.count
        faults.require(
            count <= bytes.upperBound, "/\(name.rawValue)\(place)", .tooLong, "at most \(bytes.upperBound) bytes")
        faults.require(Wording.isPlain(text), "/\(name.rawValue)\(place)", .badCharacter, Wording.unplain)
        // Blank is as good as nothing.
        return text.allSatisfy(\.isWhitespace) ? .none : .text(text)
    }

    private func checked(_ texts: [String], _ bytes: ClosedRange<Int>, into faults: inout Faults) -> Catalog.Fact {
        for (index, text) in texts.enumerated() {
            if checked(text, bytes, into: &faults, at: "/\(index)") == .none {
                faults.add("/\(name.rawValue)/\(index)", .tooShort, "holds no text")
            }
        }
        return .texts(texts)
    }

    /// The genres that the texts name; where labels name more than a book has, the first of them.
    private func genres(_ texts: [String], into faults: inout Faults) -> Catalog.Fact {
        var slugs: [String] = []
        for (index, text) in texts.enumerated() {
            let found = Genres.name(of: text) != nil ? [text] : Genres.slugs(of: text)
            if found.isEmpty {
                faults.add("/\(name.rawValue)/\(index)", .unknown, "is no genre: GET /genres lists them")
            }
            for slug in found where !slugs.contains(slug) { slugs.append(slug) }
        }
        return .texts(slugs.prefix(Limits.catalog.genres).sorted())
    }

    private func isbns(_ texts: [String], into faults: inout Faults) -> Catalog.Fact {
        var isbns: Set<String> = []
        for (index, text) in texts.enumerated() {
            if let isbn = try? ISBN(text) {
                isbns.insert(isbn.text)
            } else {
                faults.add("/\(name.rawValue)/\(index)", .badFormat, "is no ISBN")
            }
        }
        return .texts(isbns.sorted())
    }

    private func authors(
        _ parts: [Catalog.Fact.Part], needRole: Bool, into faults: inout Faults
    ) -> Catalog.Fact {
        faults.require(
            parts.count <= Limits.catalog.authors, "/\(name.rawValue)", .tooLong,
            "at most \(Limits.catalog.authors) \(name.rawValue)")
        let roles = Catalog.Role.allCases.map(\.rawValue)
        return .parts(
            parts.enumerated().map { index, part in
                if part.role.map({ !roles.contains($0) }) ?? needRole {
                    faults.add(
                        "/\(name.rawValue)/\(index)/role", part.role == nil ? .required : .unknown,
                        "must be one of \(roles.joined(separator: ", "))")
                }
                if let id = part.id {
                    faults.require(
                        ID<Catalog.Author>(text: id) != nil, "/\(name.rawValue)/\(index)/id", .badFormat,
                        "must be an author's id")
                    let place = "/\(index)/name"
                    if let said = part.name, checked(said, Limits.catalog.name, into: &faults, at: place) == .none {
                        faults.add("/\(name.rawValue)/\(index)/name", .tooShort, "holds no text")
                    }
                    // Authors have their own names, whatever stands beside the id.
                    return Catalog.Fact.Part(id: id, role: part.role)
                }
                return Catalog.Fact.Part(name: named(part, index, Limits.catalog.name, into: &faults), role: part.role)
            })
    }

    private func series(_ parts: [Catalog.Fact.Part], into faults: inout Faults) -> Catalog.Fact {
        faults.require(
            parts.count <= Limits.catalog.series, "/\(name.rawValue)", .tooLong,
            "at most \(Limits.catalog.series) series")
        return .parts(
            parts.enumerated().map { index, part in
                if let position = part.position {
                    faults.require(
                        Limits.catalog.position.contains(position.utf8.count) && Wording.isPlain(position),
                        "/\(name.rawValue)/\(index)/position", .tooLong,
                        "must have 1 to \(Limits.catalog.position.upperBound) bytes")
                }
                return Catalog.Fact.Part(
                    name: named(part, index, Limits.catalog.seriesName, into: &faults), position: part.position)
            })
    }

    private func subjects(_ parts: [Catalog.Fact.Part], into faults: inout Faults) -> Catalog.Fact {
        faults.require(
            parts.count <= Limits.catalog.subjects, "/\(name.rawValue)", .tooLong,
            "at most \(Limits.catalog.subjects) subjects")
        let kinds = ["topic", "place", "person", "time"]
        return .parts(
            parts.enumerated().map { index, part in
                let kind = part.kind ?? "topic"
                faults.require(
                    kinds.contains(kind), "/\(name.rawValue)/\(index)/kind", .unknown,
                    "must be one of \(kinds.joined(separator: ", "))")
                return Catalog.Fact.Part(
                    name: named(part, index, 1...Limits.catalog.subject, into: &faults), kind: kind)
            })
    }

    private func named(
        _ part: Catalog.Fact.Part, _ index: Int, _ bytes: ClosedRange<Int>, into faults: inout Faults
    ) -> String {
        let text = part.name ?? ""
        faults.require(
            bytes.contains(text.utf8.count) && !Normaliser.fold(text).isEmpty && Wording.isPlain(text),
            "/\(name.rawValue)/\(index)/name", text.utf8.count > bytes.upperBound ? .tooLong : .required,
            "must be a name of \(bytes.lowerBound) to \(bytes.upperBound) bytes")
        return text
    }
}

extension Catalog {
    /// `sent` in its stored form: every fault at once. Fields that are not named stay as they are. Throws `.invalid`,
    /// also for names that are no fields, and `.forbidden` (`not_librarian`) for fields that only librarians set.
    static func checked(_ sent: Facts, of kind: Thing.Kind, by helper: Helper) throws(Failure) -> Facts {
        let fields = Field.all(of: kind)
        let lockable = fields.filter { !$0.isForLibrarians || $0.name == .book }.map(\.name)
        var faults = Faults()
        var checked: Facts = [:]
        for (name, fact) in sent.sorted(by: { $0.key < $1.key }) {
            guard let field = fields.first(where: { $0.name == name }) else {
                faults.add("/\(name.rawValue)", .unknown, "There is no such field.")
                continue
            }
            if field.isForLibrarians { try helper.requireLibrarian() }
            checked[name] = field.checked(fact, among: lockable, into: &faults)
        }
        try faults.check()
        return checked
    }
}
