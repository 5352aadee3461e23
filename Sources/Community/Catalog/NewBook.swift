import PlainText

extension Catalog {
    /// A book as facts, from a CSV file, the demonstration or a librarian: one work with one edition.
    package struct NewBook: Sendable, Equatable {
        /// The source's identifiers of work and edition, unique within the source.
        package var key: String
        package var editionKey: String
        package var title: String?
        package var subtitle: String?
        package var description: String?
        /// Names in the order of the title page.
        package var authors: [String] = []
        /// Of first publication.
        package var year: Int?
        /// Labels: those that `Genres` knows become genres, the others are dropped.
        package var genres: [String] = []
        package var subjects: [String] = []
        package var series: [(name: String, position: String?)] = []
        package var isbns: [ISBN] = []
        package var publisher: String?
        package var published: String?
        package var pages: Int?
        package var language: String?
        package var format: String?
        /// How many gave 1...5 stars in the source; empty where it does not say.
        package var stars: [Int32] = []

        package init(key: String, title: String?, authors: [String] = [], year: Int? = nil) {
            self.key = key
            self.editionKey = key
            self.title = title
            self.authors = authors
            self.year = year
        }

        package static func == (left: NewBook, right: NewBook) -> Bool {
            left.digest == right.digest && left.key == right.key
        }

        /// Of everything but the keys.
        var digest: Int64 {
            var digest = Digest()
            for text in [title, subtitle, description, publisher, published, language, format] {
                digest.add((text.map { "+" + $0 } ?? "-").utf8)
            }
            for list in [
                authors, genres, subjects, series.flatMap { [$0.name, $0.position ?? ""] }, isbns.map(\.text),
            ] {
                digest.add("\(list.count)".utf8)
                for text in list { digest.add(text.utf8) }
            }
            digest.add("\(year ?? 0) \(pages ?? 0) \(stars)".utf8)
            return digest.value
        }
    }
}

extension Catalog.Entries {
    /// A book's authors, work and edition under keys of `source`: 1 to 20 of `a-z 0-9 -`.
    ///
    /// Texts are clipped to their limits. Authors are told apart by their folded names, because such sources have no
    /// keys for them.
    mutating func append(_ book: Catalog.NewBook, from source: String) {
        let names = book.authors.prefix(Limits.catalog.authors).compactMap {
            $0.clipped(to: Limits.catalog.name.upperBound).text
        }
        var keys: [String] = []
        for name in names {
            let folded = Normaliser.fold(name)
            let key = "\(source):author:\((folded.isEmpty ? name : folded).clipped(to: 500).text ?? "")"
            guard !keys.contains(key) else { continue }
            keys.append(key)
            var author = Catalog.AuthorRecord(key: key, name: name)
            // Without the spelling: two rows that write one author differently must not take turns.
            var digest = Digest()
            digest.add(key.utf8)
            author.stamp = Catalog.Stamp(revision: nil, digest: digest.value)
            authors.append(author)
        }
        let stamp = Catalog.Stamp(revision: nil, digest: book.digest)
        works.append(
            work(
                book, source: source, authors: keys, firstAuthor: names.first.map { Normaliser.fold($0) } ?? "",
                stamp))
        editions.append(edition(book, source: source, stamp))
    }

    private func work(
        _ book: Catalog.NewBook, source: String, authors: [String], firstAuthor: String, _ stamp: Catalog.Stamp
    ) -> Catalog.WorkRecord {
        var work = Catalog.WorkRecord(
            key: "\(source):\(book.key)",
            title: book.title.flatMap { $0.clipped(to: Limits.catalog.title.upperBound).text })
        work.subtitle = book.subtitle.flatMap { $0.clipped(to: Limits.catalog.title.upperBound).text }
        work.description = book.description.flatMap { $0.clipped(to: Limits.catalog.description.upperBound).text }
        work.year = book.year.flatMap { Int16(exactly: $0) }
        work.authors = authors
        for slug in book.genres.flatMap({ Genres.slugs(of: $0) }) where !work.genres.contains(slug) {
            work.genres.append(slug)
        }
        work.subjects = book.subjects.prefix(Limits.catalog.subjects).compactMap { name in
            name.clipped(to: Limits.catalog.subject).text.map { Catalog.SubjectRecord(kind: "topic", name: $0) }
        }
        work.series = book.series.compactMap { name, position in
            guard let name = name.clipped(to: 300).text else { return nil }
            return Catalog.SeriesRecord(name: name, position: position?.clipped(to: 50).text, author: firstAuthor)
        }
        if book.stars.count == 5 { work.rating = Catalog.ImportedRating(source: source, stars: book.stars) }
        work.stamp = stamp
        return work
    }

    private func edition(_ book: Catalog.NewBook, source: String, _ stamp: Catalog.Stamp) -> Catalog.EditionRecord {
        var edition = Catalog.EditionRecord(key: "\(source):\(book.editionKey)", work: "\(source):\(book.key)")
        edition.title = book.title.flatMap { $0.clipped(to: Limits.catalog.title.upperBound).text }
        edition.subtitle = book.subtitle.flatMap { $0.clipped(to: Limits.catalog.title.upperBound).text }
        edition.publisher = book.publisher.flatMap { $0.clipped(to: 300).text }
        edition.published = book.published.flatMap { $0.clipped(to: 100).text }
        edition.year = book.published.flatMap { OpenLibraryLine.year(in: $0) }
        edition.pages = book.pages.flatMap { (1...100_000).contains($0) ? Int32($0) : nil }
        edition.language = book.language.flatMap { Languages.tag($0) }
        edition.format = book.format.flatMap { $0.clipped(to: 100).text }
        edition.isbns = book.isbns
        edition.stamp = stamp
        return edition
    }
}

/// Splits the series off the end of a title.
package enum SeriesTitle {
    /// `The Hunger Games (The Hunger Games, #1)` is `The Hunger Games`, first of the series of that name. Two series
    /// may be named: `Nightshade (Nightshade #1; Nightshade World #4)`. A title without a number in its last brackets
    /// stays as it is.
    package static func split(_ title: String) -> (title: String, series: [(name: String, position: String?)]) {
        guard title.last == ")", let open = openingBracket(of: title), title[open...].contains("#") else {
            return (title, [])
        }
        let rest = trimmed(title[..<open])
        let inside = title[title.index(after: open)...].dropLast()
        guard !rest.isEmpty else { return (title, []) }
        let parts = inside.split(separator: "#", omittingEmptySubsequences: false)
        var series: [(name: String, position: String?)] = []
        var name = trimmed(parts[0])
        for (index, part) in parts.dropFirst().enumerated() {
            let isLast = index == parts.count - 2
            let end = isLast ? part.endIndex : part.firstIndex(where: { $0 == ";" || $0 == "," }) ?? part.endIndex
            let position = trimmed(part[..<end])
            if !name.isEmpty { series.append((name, position.isEmpty ? nil : position)) }
            name = isLast ? "" : trimmed(part[end...])
        }
        return series.isEmpty ? (title, []) : (rest, series)
    }

    /// Where the brackets open that the last character closes.
    private static func openingBracket(of title: String) -> String.Index? {
        var depth = 0
        for index in title.indices.reversed() {
            if title[index] == ")" { depth += 1 }
            if title[index] == "(" {
                depth -= 1
                if depth == 0 { return index }
            }
        }
        return nil
    }

    /// Without spaces, commas and semicolons at the ends.
    private static func trimmed(_ text: Substring) -> String {
        text.trimmed { $0 == " " || $0 == "," || $0 == ";" }
    }
}
