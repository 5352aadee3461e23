extension Sources {
    /// Open Library: its records one by one, in the same form as in its dumps, so that a dump that is imported later
    /// continues them.
    struct OpenLibrary: MetadataSource {
        let name = Name.openlibrary
        private let host: Host
        private let outgoing: Outgoing
        private let covers: CoverHost

        init(host: Host, outgoing: Outgoing, covers: CoverHost) {
            self.host = host
            self.outgoing = outgoing
            self.covers = covers
        }

        func books(for question: Question) async throws -> [Record] {
            switch question {
            case .isbn(let isbn):
                guard let edition = try await edition(Target(host, ["isbn", isbn.text + ".json"])) else { return [] }
                return [try await record(edition)]
            case .title(let title, let author):
                return try await records(try await search(title, author))
            }
        }

        func book(_ key: String) async throws -> Record? {
            guard let target = target("books", key, "M"), let edition = try await edition(target) else { return nil }
            guard edition.record.key == key else { throw Trouble.unreadable("another edition than was asked for") }
            return try await record(edition)
        }

        /// A cover's name is its number.
        func cover(_ name: String) async throws -> [UInt8]? {
            guard let number = Int(name), number > 0 else { return nil }
            // Without `default=false` it answers an empty image where it has none.
            return try await covers.image(["b", "id", "\(number)-L.jpg"], query: ["default": "false"])
        }

        /// Keys of one edition each of the works that were found, best first.
        private func search(_ title: String, _ author: String?) async throws -> [String] {
            let fields = "key,cover_edition_key,edition_key"
            let limit = String(Limits.sources.searched)
            let target = Target(
                host, ["search.json"],
                query: author.map { ["title": title, "author": $0, "fields": fields, "limit": limit] } ?? [
                    "title": title, "fields": fields, "limit": limit,
                ])
            let answer = try await outgoing.get(target)
            guard answer.status == 200 else { return [] }
            return try Self.editions(answer.body)
        }

        /// The edition that each document of a search's answer names, its cover's first.
        static func editions(_ body: [UInt8]) throws(Trouble) -> [String] {
            var keys: [String] = []
            try Sources.read(body) { (member, scanner) throws(Catalog.Reject) in
                guard member == "docs", try scanner.next() == .array else { return try scanner.skip() }
                try scanner.array { (scanner) throws(Catalog.Reject) in
                    guard try scanner.next() == .object else { return try scanner.skip() }
                    var cover: String?
                    var first: String?
                    try scanner.object { (key, scanner) throws(Catalog.Reject) in
                        switch String(decoding: key, as: UTF8.self) {
                        case "cover_edition_key": cover = try scanner.string()
                        case "edition_key":
                            guard try scanner.next() == .array else { return try scanner.skip() }
                            try scanner.array { (scanner) throws(Catalog.Reject) in
                                let key = try scanner.string()
                                first = first ?? key
                            }
                        default: try scanner.skip()
                        }
                    }
                    if let name = cover ?? first, let key = try? OpenLibraryLine.key(name, "M"),
                        keys.count < Limits.sources.searched
                    {
                        keys.append(key)
                    }
                }
            }
            return keys
        }

        /// All editions at once, each with its work and authors, in the order of `keys`.
        private func records(_ keys: [String]) async throws -> [Record] {
            try await withThrowingTaskGroup(of: (Int, Record?).self) { group in
                for (place, key) in keys.enumerated() { group.addTask { (place, try await book(key)) } }
                var found: [(Int, Record?)] = []
                for try await each in group { found.append(each) }
                return found.sorted { $0.0 < $1.0 }.compactMap(\.1)
            }
        }

        // MARK: Single records

        private struct Edition: Sendable {
            let record: Catalog.EditionRecord
            let cover: String?
        }

        /// The edition at `target`, or the one that it was redirected to within the catalogue; `nil` where there is
        /// none.
        private func edition(_ target: Target, mayRedirect: Bool = true) async throws -> Edition? {
            let answer = try await outgoing.get(target)
            guard answer.status == 200 else { return nil }
            switch try Self.entry(answer.body) {
            case .edition(let record): return Edition(record: record, cover: try Self.cover(answer.body))
            case .redirect(.edition, _, let to, _) where mayRedirect:
                guard let target = self.target("books", to, "M") else { return nil }
                return try await edition(target, mayRedirect: false)
            default: return nil
            }
        }

        /// The edition with its work and their first authors, as far as the catalogue gives them; the other authors
        /// stay names to come.
        private func record(_ edition: Edition) async throws -> Record {
            let work = try await work(edition.record)
            let keys = Array(
                (work.authors.isEmpty ? edition.record.authors : work.authors).prefix(Limits.sources.authors))
            let authors = try await withThrowingTaskGroup(of: Catalog.AuthorRecord?.self) { group in
                for key in keys { group.addTask { try await author(key) } }
                var found: [Catalog.AuthorRecord] = []
                for try await each in group { if let each { found.append(each) } }
                return found
            }
            let id = edition.record.key.dropFirst(Name.openlibrary.prefix.count + 1)
            return Record(
                source: .openlibrary,
                find: Catalog.Find(work: work, edition: edition.record, authors: authors.sorted { $0.key < $1.key }),
                page: "https://openlibrary.org/books/" + id, cover: edition.cover)
        }

        /// The edition's work; where it has none, or it is gone, the edition speaks for it.
        private func work(_ edition: Catalog.EditionRecord) async throws -> Catalog.WorkRecord {
            if let target = target("works", edition.work, "W") {
                let answer = try await outgoing.get(target)
                if answer.status == 200, case .work(var work) = try Self.entry(answer.body), work.key == edition.work {
                    if work.title == nil { work.title = edition.title }
                    if work.authors.isEmpty { work.authors = edition.authors }
                    return work
                }
            }
            var work = Catalog.WorkRecord(key: edition.work, title: edition.title)
            work.subtitle = edition.subtitle
            work.authors = edition.authors
            return work
        }

        private func author(_ key: String) async throws -> Catalog.AuthorRecord? {
            guard let target = target("authors", key, "A") else { return nil }
            let answer = try await outgoing.get(target)
            guard answer.status == 200, case .author(let record) = try Self.entry(answer.body), record.key == key else {
                return nil
            }
            return record
        }

        /// Where the record of one of our keys is; `nil` for a key of another kind.
        private func target(_ kind: String, _ key: String, _ letter: String) -> Target? {
            let name = key.dropFirst(Name.openlibrary.prefix.count + 1)
            guard (try? OpenLibraryLine.key(String(name), letter)) == key else { return nil }
            return Target(host, [kind, name + ".json"])
        }

        private static func entry(_ body: [UInt8]) throws(Trouble) -> Catalog.Entry {
            var line = OpenLibraryLine()
            do throws(Catalog.Reject) {
                return try line.entry(body[...])
            } catch {
                throw .unreadable(error.detail)
            }
        }

        /// The edition's cover: the first number in `covers`.
        private static func cover(_ body: [UInt8]) throws(Trouble) -> String? {
            var cover: Int?
            try Sources.read(body) { (member, scanner) throws(Catalog.Reject) in
                guard member == "covers", try scanner.next() == .array else { return try scanner.skip() }
                try scanner.array { (scanner) throws(Catalog.Reject) in
                    let number = try scanner.integer()
                    if cover == nil, let number, number > 0 { cover = number }
                }
            }
            return cover.map { String($0) }
        }
    }
}
