import ArgumentParser
import Community
import Postgres

extension DemoLoader {
    /// Books that one commit adds.
    private static let booksAtOnce = 500

    /// Loads the Book-Crossing community: books and readers through the stores, what they did in one transaction. The first reader gets a
    /// password that is told; the names are made up.
    func load(_ data: BookCrossing, progress: Progress) async throws -> Loaded {
        let works = try await addBooks(of: data, progress)
        let plan = BookCrossingPlan(data, until: present)
        let (people, told) = try await addPeople(plan, progress)
        // Some books stand twice in the files and come to one work.
        var known = Set<Shelved>()
        let past: [Library.Past] = try plan.acts.compactMap { act in
            guard let work = works[act.book] else { throw Failure.notFound("book \(act.book) of the files") }
            guard known.insert(Shelved(reader: act.reader, work: work)).inserted else { return nil }
            return Library.Past(
                reader: people[act.reader], work: work, status: act.status, at: act.at, started: act.started,
                finished: act.finished, rating: act.rating.flatMap { Rating(quarters: $0) })
        }
        try await community.library.takeIn(past) {
            clock.advance(to: $0)
        } progress: {
            progress.show("acts", $0, of: past.count)
        }
        progress.end()
        return Loaded(
            books: Set(works.values).count, readers: people.count, shelved: past.count,
            ratings: past.count { $0.rating != nil },
            signIns: [SignIn(username: DemoNames.username(0), password: told)])
    }

    private struct Shelved: Hashable {
        let reader: Int
        let work: ID<Catalog.Work>
    }

    private func addBooks(of data: BookCrossing, _ progress: Progress) async throws -> [Int: ID<Catalog.Work>] {
        var works: [Int: ID<Catalog.Work>] = [:]
        let numbers = data.books.keys.sorted()
        for start in stride(from: 0, to: numbers.count, by: Self.booksAtOnce) {
            let batch = numbers[start..<min(start + Self.booksAtOnce, numbers.count)]
            let new = batch.compactMap { number in
                data.books[number].map { book in
                    var new = Catalog.NewBook(key: "bookcrossing-\(number)", title: book.title)
                    new.authors = book.author.map { [$0] } ?? []
                    new.year = book.year
                    new.isbns = book.isbn.map { [$0] } ?? []
                    new.publisher = book.publisher
                    return new
                }
            }
            let added = try await community.catalog.add(new, from: Self.source)
            guard added.count == new.count else {
                throw CommandError(.failure, "the catalogue took \(added.count) of \(new.count) books")
            }
            for (number, work) in zip(batch, added) { works[number] = work }
            progress.show("books", batch.endIndex, of: numbers.count)
        }
        return works
    }

    private func addPeople(
        _ plan: BookCrossingPlan, _ progress: Progress
    ) async throws -> (people: [ID<Accounts.Account>], password: String) {
        let told = Self.password(community.services.random)
        let first = try await community.accounts.hash(password: told, for: enrolment(0))
        // Nobody knows the others' password, so one hash serves them all: three thousand would take minutes.
        let others = try await community.accounts.hash(
            password: Self.password(community.services.random), for: enrolment(1))
        var people: [ID<Accounts.Account>] = []
        for start in stride(from: 0, to: plan.joined.count, by: 16) {
            let end = min(start + 16, plan.joined.count)
            people += try await withThrowingTaskGroup(of: (Int, ID<Accounts.Account>).self) { group in
                for index in start..<end {
                    var enrolment = enrolment(index)
                    enrolment.createdAt = plan.joined[index]
                    let new = enrolment
                    group.addTask {
                        (index, try await community.accounts.enrol(new, password: index == 0 ? first : others))
                    }
                }
                let batch = try await group.reduce(into: []) { $0.append($1) }
                return batch.sorted { $0.0 < $1.0 }.map(\.1)
            }
            progress.show("readers", end, of: plan.joined.count)
        }
        return (people, told)
    }

    private func enrolment(_ index: Int) -> Accounts.Enrolment {
        let username = DemoNames.username(index)
        return Accounts.Enrolment(
            username: username, email: "\(username)@demo.invalid", name: DemoNames.name(index), isDemo: true)
    }
}

/// Names that were made up for readers: 60 first names by 60 last ones; a number comes behind them where there are more readers than pairs.
enum DemoNames {
    static func name(_ index: Int) -> String {
        let (first, last, round) = parts(index)
        return round == 0 ? "\(first) \(last)" : "\(first) \(last) \(round + 1)"
    }

    /// Lower case, the parts joined by `_`.
    static func username(_ index: Int) -> String {
        name(index).lowercased().split(separator: " ").joined(separator: "_")
    }

    private static func parts(_ index: Int) -> (first: String, last: String, round: Int) {
        let count = first.count * last.count
        // 1009 has no divisor in common with the number of pairs: each comes once, neighbours are not alike.
        let pair = index % count * 1009 % count
        return (first[pair % first.count], last[pair / first.count], index / count)
    }

    private static let first = words(
        """
        Ada Bela Cleo Dario Edda Femi Gita Hugo Ines Jonas Kaia Levi Mina Nilo Olga Piet Quim Rosa Sami Tove \
        Ugo Vera Wim Xenia Yara Zeno Alma Bruno Cora Dunja Elio Freya Gero Hana Ivo Juno Karel Lena Milo Nora \
        Otto Pia Ravi Sofia Timo Una Viggo Willa Yusuf Zora Anton Bibi Casper Doro Emre Fina Gustav Heda Ilya Jette
        """)
    private static let last = words(
        """
        Birch Calder Dunn Ember Farrow Glenn Hollow Inkwell Jasper Kestrel Larch Marsh Norwood Oakes Penrose Quill \
        Rowan Sedge Thorne Upton Vale Wren Yarrow Alder Brook Cliff Dale Eaves Fern Grove Heath Ivey Juniper Knoll \
        Linden Meadow Nettle Orchard Poole Reed Stone Tarn Underhill Vine Willow Ash Bay Copse Dell Elm Field Gorse \
        Hazel Isle Jade Kite Lake Moor Nook Pine
        """)

    private static func words(_ text: String) -> [String] { text.split(separator: " ").map(String.init) }
}
