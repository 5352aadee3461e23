import Community

extension Volumes {
    /// Answers queries from the catalogue.
    struct Finder: Sendable {
        let catalog: Catalog.Store
        let search: Search.Store

        struct Found: Sendable {
            /// Results that can be reached: at most `Limits.volumes.depth`.
            let total: Int
            let volumes: [Catalog.Volume]
        }

        func find(_ choice: Choice) async throws -> Found {
            guard !choice.wantsWhatIsNotHere else { return Found(total: 0, volumes: []) }
            let isbns = choice.question.texts(of: .isbn)
            let isbn = isbns.lazy.compactMap { try? ISBN($0) }.first
            // A fault in the ISBN, numbers that are not kept: no book has them.
            guard isbns.isEmpty || isbn != nil, choice.question.texts(of: .lccn).isEmpty,
                choice.question.texts(of: .oclc).isEmpty
            else { return Found(total: 0, volumes: []) }
            let works = try await self.works(choice.question, isbn)
            let sieve = Sieve(choice)
            guard sieve.isNeeded || choice.order == .newest else {
                let page = Array(works.dropFirst(choice.start).prefix(choice.count))
                return Found(total: works.count, volumes: try await catalog.volumes(of: page, showing: isbn))
            }
            var kept = try await catalog.volumes(of: works, showing: isbn).filter(sieve.keeps)
            if choice.order == .newest {
                kept = kept.enumerated().sorted {
                    ($0.element.year ?? .min, $1.offset) > ($1.element.year ?? .min, $0.offset)
                }.map(\.element)
            }
            return Found(total: kept.count, volumes: Array(kept.dropFirst(choice.start).prefix(choice.count)))
        }

        /// The best books for a query, at most `Limits.volumes.depth`: all that this surface knows of searching.
        private func works(_ question: Question, _ isbn: ISBN?) async throws -> [ID<Catalog.Work>] {
            var texts: [Search.Field: String] = [:]
            for term in question.terms where !term.isExcluded {
                // The space ends the word: nothing here is still being typed.
                if let field = term.field.searched { texts[field, default: ""] += term.text + " " }
            }
            guard !texts.isEmpty || isbn != nil else { return [] }
            let query = Search.Query(texts, isbn: isbn)
            return try await search.works(query, depth: Limits.volumes.depth)
        }
    }

    /// What the search does not know, languages and words that must not stand there, decided on the volumes that it
    /// found.
    private struct Sieve: Sendable {
        private let language: String?
        private let terms: [Question.Term]

        init(_ choice: Choice) {
            language = choice.language
            terms = choice.question.terms.filter { $0.isExcluded && !Normaliser.fold($0.text).isEmpty }
        }

        var isNeeded: Bool { language != nil || !terms.isEmpty }

        func keeps(_ volume: Catalog.Volume) -> Bool {
            if let language {
                let own = (volume.edition?.language ?? volume.language)?.split(separator: "-").first.map(String.init)
                guard own == language else { return false }
            }
            return terms.allSatisfy { term in
                let texts =
                    switch term.field {
                    case .title: [volume.title, volume.subtitle ?? ""]
                    case .author: volume.authors
                    case .publisher: [volume.edition?.publisher ?? ""]
                    case .subject: volume.genres
                    default: [volume.title, volume.subtitle ?? ""] + volume.authors
                    }
                let words = Set(Normaliser.words(texts.joined(separator: " "), limit: 200))
                return !Normaliser.words(term.text).allSatisfy(words.contains)
            }
        }
    }
}
