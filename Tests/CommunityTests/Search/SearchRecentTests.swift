import Postgres
import TestSupport
import Testing

@testable import Community

/// What a reader searched for lately.
@Suite(.database) struct SearchRecentTests {
    private func queries(of reader: ID<Accounts.Account>, in world: World) async throws -> [String] {
        try await world.community.search.recent(of: reader, page: PageRequest(limit: 100)).items.compactMap(
            \.asked[.any])
    }

    @Test func `each search is kept once, the latest first, each for its reader alone`() async throws {
        try await withWorld { world in
            let (ann, ben) = (try await world.given.reader(), try await world.given.reader())
            let search = world.community.search
            for query in ["dune", "emma", "DÜNE!", "", "?!", String(repeating: "a", count: 1_001)] {
                try await search.remember(.init(["q": query]), of: ann)
                world.clock.advance(by: .seconds(61))
            }
            #expect(try await queries(of: ann, in: world) == ["DÜNE!", "emma"])
            #expect(try await queries(of: ben, in: world).isEmpty)
            let emma = try #require(
                try await search.recent(of: ann, page: PageRequest()).items.first { $0.asked[.any] == "emma" })
            await #expect(throws: Failure.self) { try await search.forget(emma.id, of: ben) }
            try await search.forget(emma.id, of: ann)
            #expect(try await queries(of: ann, in: world) == ["DÜNE!"])
            try await search.remember(.init(["q": "emma"]), of: ben)
            try await search.forgetAll(of: ann)
            #expect(try await queries(of: ann, in: world).isEmpty)
            #expect(try await queries(of: ben, in: world) == ["emma"])
        }
    }

    @Test func `what goes on within a minute takes the place of what it goes on from`() async throws {
        try await withWorld { world in
            let ann = try await world.given.reader()
            let search = world.community.search
            for query in ["mid", "middle", "Middlemarch"] {
                try await search.remember(.init(["q": query]), of: ann)
                world.clock.advance(by: .seconds(2))
            }
            #expect(try await queries(of: ann, in: world) == ["Middlemarch"])
            // Something else does not, nor what comes later.
            try await search.remember(.init(["q": "middle"]), of: ann)
            world.clock.advance(by: .seconds(61))
            try await search.remember(.init(["q": "middle earth"]), of: ann)
            #expect(try await queries(of: ann, in: world) == ["middle earth", "middle", "Middlemarch"])
        }
    }

    @Test func `the latest fifty are kept, in pages that agree in both directions`() async throws {
        try await withWorld { world in
            let ann = try await world.given.reader()
            let search = world.community.search
            for number in 0..<(Limits.search.recent + 7) {
                try await search.remember(.init(["q": "query \(number)"]), of: ann)
                // Three of one moment: their ids tell them apart.
                if number % 3 == 0 { world.clock.advance(by: .seconds(61)) }
            }
            let all = try await queries(of: ann, in: world)
            #expect(all.count == Limits.search.recent && Set(all).count == all.count)
            #expect(Set(all) == Set((7..<(Limits.search.recent + 7)).map { "query \($0)" }))
            var page = try await search.recent(of: ann, page: PageRequest(limit: 7))
            var forwards = page.items.compactMap(\.asked[.any])
            while let next = page.next {
                page = try await search.recent(of: ann, page: PageRequest(.after(next), limit: 7))
                forwards += page.items.compactMap(\.asked[.any])
            }
            #expect(forwards == all)
            var backwards = page.items.compactMap(\.asked[.any])
            while let previous = page.previous {
                page = try await search.recent(of: ann, page: PageRequest(.before(previous), limit: 7))
                backwards = page.items.compactMap(\.asked[.any]) + backwards
            }
            #expect(backwards == all)
        }
    }

    @Test func `searches that differ in a filter, or at the end of long texts, are two`() async throws {
        try await withWorld { world in
            let ann = try await world.given.reader()
            let search = world.community.search
            let long = ["title": String(repeating: "a", count: 1_000), "subject": String(repeating: "b", count: 1_000)]
            let asked: [[String: String]] = [
                ["q": "dune", "year_from": "-100"], ["q": "dune", "year_from": "100"],
                ["q": "dune", "language": "pt-BR"],
                ["q": "dune", "language": "pt BR"], long.merging(["q": "x"]) { $1 },
                long.merging(["q": "x", "title": String(repeating: "a", count: 999) + "c"]) { $1 },
            ]
            for one in asked {
                // What is asked again, however spelt, is the same.
                for text in [one["q"] ?? "", (one["q"] ?? "").uppercased()] {
                    try await search.remember(.init(one.merging(["q": text]) { $1 }), of: ann)
                    world.clock.advance(by: .seconds(61))
                }
            }
            let kept = try await search.recent(of: ann, page: PageRequest(limit: 100)).items
            #expect(kept.count == asked.count)
            let keys = try await world.asSuperuser("select max(octet_length(folded)) from recent_search")
            #expect(keys == [["\(Limits.search.recentLength)"]])
        }
    }

    private static let pairs: [(first: [String: String], second: [String: String], isOne: Bool)] = [
        (["q": "dune"], ["q": "dune", "kind": "film"], false), (["q": "dune"], ["q": "dune", "title": "x"], false),
        (["q": "dune", "year_from": "19"], ["q": "dune", "year_from": "1965"], false),
        (["title": "du"], ["title": "du", "q": "herbert"], false),
        (["title": "d"], ["title": "du", "author": "h"], false),
        (["title": "du", "author": "h"], ["title": "dune", "author": "herbert"], false),
        (["title": "du", "author": "h"], ["title": "dune", "author": "h"], true),
        (["title": "du", "kind": "film"], ["title": "dune", "kind": "film"], true),
        (["q": "du", "title": "x", "kind": "film"], ["q": "dune", "title": "x", "kind": "film"], true),
        (["q": "du", "kind": "film"], ["q": "dune"], false), (["q": "dune"], ["q": "du"], false),
    ]

    @Test(arguments: SearchRecentTests.pairs)
    func `one takes the place of the last where a single text of it goes on`(
        first: [String: String], second: [String: String], isOne: Bool
    ) async throws {
        try await withWorld { world in
            let ann = try await world.given.reader()
            try await world.community.search.remember(.init(first), of: ann)
            world.clock.advance(by: .seconds(2))
            try await world.community.search.remember(.init(second), of: ann)
            let kept = try await world.community.search.recent(of: ann, page: PageRequest()).items.map(\.asked.values)
            #expect(kept == (isOne ? [second] : [second, first]))
        }
    }
}
