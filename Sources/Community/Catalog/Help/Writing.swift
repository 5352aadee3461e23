import Postgres

extension Catalog.Store {
    /// The fields of a thing and its version. Throws `.notFound` for what is not there, was withdrawn or merged away.
    package func facts(of thing: Catalog.Thing) async throws -> (facts: Catalog.Facts, version: Int) {
        let snapshot = try await services.database.transaction { transaction in
            try await Catalog.Writing(transaction: transaction, services: services).snapshot(of: thing)
        }
        return (snapshot.facts, snapshot.version)
    }

    /// The first editions of a book, at most 50; none of anything else.
    package func editions(of thing: Catalog.Thing) async throws -> [ID<Catalog.Edition>] {
        guard case .book(let work) = thing else { return [] }
        return try await services.database.all(Catalog.EditionsOfWork(work: work)).map(\.id)
    }
}

extension Catalog {
    /// Writes the facts of one thing with all that follows from them: links, search, marks, pages. For corrections and
    /// new books; takes part in the caller's transaction.
    struct Writing {
        let transaction: Transaction
        let services: Services

        /// The thing under its row's lock. Throws `.notFound` for what is not there, was withdrawn or merged away.
        func snapshot(of thing: Thing) async throws -> Snapshot {
            let found = try await row(of: thing)
            guard found.mergedInto == nil, !found.isWithdrawn else { throw Failure.notFound(thing.name) }
            return found
        }

        /// The same for what was withdrawn or merged away too.
        func row(of thing: Thing) async throws -> Snapshot {
            // Where the lock was waited for, the first reading has the lists of before: Postgres looks again at the locked
            // row alone.
            _ = try await locked(thing)
            guard let found = try await locked(thing) else { throw Failure.notFound(thing.name) }
            return found
        }

        private func locked(_ thing: Thing) async throws -> Snapshot? {
            switch thing {
            case .book(let id): try await transaction.first(ReadBookFacts(work: id))
            case .edition(let id): try await transaction.first(ReadEditionFacts(edition: id))
            case .author(let id): try await transaction.first(ReadAuthorFacts(author: id))
            }
        }

        /// Makes the thing what `facts` say; `changed` are the names of the fields that differ from before.
        func write(_ facts: Facts, to thing: Thing, from before: Facts, changed: Set<Field.Name>) async throws {
            switch thing {
            case .book(let id): try await write(facts, to: id, changed: changed)
            case .edition(let id): try await write(facts, to: id, from: before, changed: changed)
            case .author(let id): try await write(facts, to: id)
            }
        }

        /// The book that an id means now, itself or what it was merged into, under its row's lock. Throws `.notFound`.
        func current(_ work: ID<Work>) async throws -> ID<Work> {
            let found = try await row(of: .book(work))
            if let into = found.mergedInto.map({ ID<Work>(rawValue: $0) }) {
                _ = try await snapshot(of: .book(into))
                return into
            }
            guard !found.isWithdrawn else { throw Failure.notFound("book \(work)") }
            return work
        }

        /// The facts with the book that an edition is to be moved to, as its id means it now. For those of an edition that is
        /// locked and that has the facts `before`. Throws `.invalid` for an unknown id.
        func placed(_ facts: Facts, from before: Facts) async throws -> Facts {
            guard let sent = facts[.book], sent != before[.book] else { return facts }
            guard let id = sent.text.flatMap({ ID<Work>(text: $0) }), let work = try await living(LivingWork(work: id))
            else { throw Failure.invalid("/book", .unknown, "there is no such book") }
            var facts = facts
            facts[.book] = .text(work.text)
            return facts
        }

        /// The fields that name people.
        private static let people = [Field.Name.authors, .contributors]

        /// Those who are named by their ids with their names; who is named alone stays so. Throws `.invalid` for an
        /// unknown id.
        func named(_ facts: Facts) async throws -> Facts {
            var facts = facts
            for field in Self.people {
                guard case .parts(var parts) = facts[field] else { continue }
                for index in parts.indices where parts[index].id != nil {
                    parts[index] = try await person(parts[index], "/\(field.rawValue)/\(index)")
                }
                facts[field] = .parts(parts)
            }
            return facts
        }

        /// Authors and contributors by id, their ids for names: the first one of exactly that name, or a new one.
        /// Throws `.invalid` for an unknown id.
        func resolved(_ facts: Facts) async throws -> Facts { try await resolved([facts])[0] }

        /// The same of several things that are written together.
        func resolved(_ all: [Facts]) async throws -> [Facts] {
            // Two who name one new author at the same moment make one author. They take turns once for all names: in rounds
            // they might wait for each other.
            let named = all.flatMap { facts in Self.people.flatMap { facts[$0]?.parts ?? [] } }
            let names = named.filter { $0.id == nil }.compactMap(\.name)
            if !names.isEmpty {
                try await transaction.run(TakeTurns(keys: names.map { "author:" + Normaliser.fold($0) }))
            }
            var resolved: [Facts] = []
            for var facts in all {
                for field in Self.people {
                    guard case .parts(let parts) = facts[field] else { continue }
                    facts[field] = .parts(try await self.resolved(parts, of: field))
                }
                resolved.append(facts)
            }
            return resolved
        }

        private func resolved(_ parts: [Fact.Part], of field: Field.Name) async throws -> [Fact.Part] {
            var resolved: [Fact.Part] = []
            for (index, part) in parts.enumerated() {
                let author = try await person(part, "/\(field.rawValue)/\(index)")
                // One author of a work once, at the first place; of an edition, once with each role.
                let isThere = resolved.contains { $0.id == author.id && (field == .authors || $0.role == author.role) }
                if !isThere { resolved.append(author) }
            }
            return resolved
        }

        /// Who is meant, in the part's role.
        private func person(_ part: Fact.Part, _ place: String) async throws -> Fact.Part {
            if let id = part.id.flatMap({ ID<Author>(text: $0) }) {
                guard let living = try await living(LivingAuthor(author: id)) else {
                    throw Failure.invalid(place + "/id", .unknown, "there is no such author")
                }
                return Fact.Part(id: living.id.text, name: living.name, role: part.role)
            }
            let name = part.name ?? ""
            if let known = try await author(called: name) {
                return Fact.Part(id: known.text, name: name, role: part.role)
            }
            let id = try services.ids.make(Author.self)
            var columns = AuthorColumns()
            columns.append(id, AuthorRecord(key: "", name: name))
            try await transaction.run(InsertAuthors(columns: columns))
            return Fact.Part(id: id.text, name: name, role: part.role)
        }

        /// The first author of exactly this name, however written; those who have it as another name are not meant.
        func author(called name: String) async throws -> ID<Author>? {
            let folded = Normaliser.fold(name)
            return try await transaction.all(AuthorsCalled(folded: folded))
                .first { Normaliser.fold($0.name ?? "") == folded }?.id
        }

        /// What a statement about a living thing finds, asked again where that thing was merged while its row was
        /// waited for.
        private func living<Asked: Statement>(_ statement: Asked) async throws -> Asked.Output? {
            if let found = try await transaction.first(statement) { return found }
            return try await transaction.first(statement)
        }

        private func write(_ facts: Facts, to work: ID<Work>, changed: Set<Field.Name>) async throws {
            try await transaction.run(WriteBook(work: work, facts: facts))
            if changed.contains(.authors) {
                let people = facts[.authors]?.people ?? []
                try await transaction.run(UnlinkAuthors(works: [work]))
                try await transaction.run(
                    LinkAuthors(
                        works: people.map { _ in work }, positions: people.indices.map { Int16($0 + 1) },
                        authors: people.map(\.id), roles: people.map(\.role)))
            }
            let headings: Set<Field.Name> = [.genres, .subjects, .series]
            if !changed.isDisjoint(with: headings) {
                // What did not change stays as it is linked.
                var kept = FieldLocks()
                kept.add(headings.subtracting(changed), of: work)
                let known = try await transaction.all(SeriesKeys(work: work))
                try await Headings(transaction: transaction, ids: services.ids).put(
                    [(work, record(of: facts, in: known))], replaced: [work], locks: kept)
            }
            try await transaction.run(PutPopularity(works: [work], listed: [facts[.title]?.text != nil]))
            try await WorkChanges(transaction: transaction).changed([work])
        }

        /// As importers describe a work; `known` are the series that it stands in, which keep their books under any
        /// first author.
        private func record(of facts: Facts, in known: [Heading]) -> WorkRecord {
            var record = WorkRecord(key: "", title: facts[.title]?.text)
            record.subtitle = facts[.subtitle]?.text
            record.genres = facts[.genres]?.texts ?? []
            record.subjects = (facts[.subjects]?.parts ?? []).compactMap { part in
                part.name.map { SubjectRecord(kind: part.kind ?? "topic", name: $0) }
            }
            let author = Normaliser.fold(facts[.authors]?.parts.first?.name ?? "")
            record.series = (facts[.series]?.parts ?? []).compactMap { part in
                guard let name = part.name else { return nil }
                let same = known.first { $0.folded == headingKey(name) }
                return SeriesRecord(name: name, position: part.position, author: same?.scope ?? author)
            }
            return record
        }

        private func write(
            _ facts: Facts, to edition: ID<Edition>, from before: Facts, changed: Set<Field.Name>
        ) async throws {
            guard let work = facts[.book]?.text.flatMap({ ID<Work>(text: $0) }) else {
                throw Failure.invalid("/book", .unknown, "there is no such book")
            }
            try await transaction.run(WriteEdition(edition: edition, work: work, facts: facts))
            if changed.contains(.isbns) {
                let isbns = try (facts[.isbns]?.texts ?? []).map { try ISBN($0) }
                try await transaction.run(RemoveISBNs(editions: [edition]))
                try await transaction.run(AddISBNs(isbns: isbns, editions: isbns.map { _ in edition }))
            }
            if changed.contains(.contributors) {
                let people = facts[.contributors]?.people ?? []
                try await transaction.run(UnlinkContributors(edition: edition))
                try await transaction.run(
                    LinkContributors(edition: edition, authors: people.map(\.id), roles: people.map(\.role)))
            }
            let left = before[.book]?.text.flatMap { ID<Work>(text: $0) }
            let works = Set([left, work].compactMap(\.self)).sorted()
            try await transaction.run(BumpWorks(works: works))
            try await WorkChanges(transaction: transaction).changed(works)
        }

        private func write(_ facts: Facts, to author: ID<Author>) async throws {
            try await transaction.run(WriteAuthor(author: author, facts: facts))
            try await WorkChanges(transaction: transaction).renamed([author])
        }
    }

    /// What every change of works must tell: the keys of browsing, and all who keep something of works.
    struct WorkChanges {
        let transaction: Transaction

        /// A few works, changed by hand: searches find them by what they are now as soon as the change is committed.
        func changed(_ works: [ID<Work>]) async throws {
            guard !works.isEmpty else { return }
            try await transaction.run(Browse.Mark(works: works))
            try await Community.worksChange(.byHand(works), in: transaction)
        }

        /// Many works: jobs bring searches and lists up to date within seconds.
        func imported(_ works: Set<ID<Work>>) async throws {
            guard !works.isEmpty else { return }
            try await transaction.run(Browse.Mark(works: works.sorted()))
            try await Community.worksChange(.imported(works.sorted()), in: transaction)
        }

        /// Names of these authors are new: their works' pages follow at once, searches and lists within seconds.
        func renamed(_ authors: [ID<Author>]) async throws {
            guard !authors.isEmpty else { return }
            try await transaction.run(TouchWorksOf(authors: authors))
            try await transaction.run(Browse.MarkWorksOf(authors: authors))
            try await Community.worksChange(.renamed(authors: authors), in: transaction)
        }
    }
}

extension Catalog.Fact {
    /// Who is named by id, each with a role; empty where nobody said.
    fileprivate var people: [(id: ID<Catalog.Author>, role: String)] {
        parts.compactMap { part in
            part.id.flatMap { ID<Catalog.Author>(text: $0) }.map { ($0, part.role ?? "") }
        }
    }
}
