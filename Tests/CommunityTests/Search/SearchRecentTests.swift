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
}
