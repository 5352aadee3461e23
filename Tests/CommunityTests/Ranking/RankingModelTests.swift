import Foundation
import Postgres
import TestSupport
import Testing

@testable import Community

/// Whatever readers do, and whenever it is folded, sums are those of the acts.
@Suite(.database)
struct RankingModelTests {
    @Test func `sums are those of the acts, however these come, go, move and stop counting`() async throws {
        try await withWorld(leaving: [.outbox, .jobs]) { world in
            try await world.community.feed.upkeep()
            var run = RankingRun(world)
            try await run.settle()
            for step in 0..<ProofCount.of(4000) {
                try await run.act()
                if world.random.once(in: 10) { try await world.community.ranking.fold() }
                if step % 100 == 99 { try await run.check() }
            }
            try await run.check()
            #expect(try await world.community.ranking.rebuild() == 0)
            #expect(try await world.differences() == [])
        }
    }

    @Test func `a fold beside writers misses nothing of what they commit`() async throws {
        try await withWorld(leaving: .outbox) { world in
            let books = [try await world.given.book(), try await world.given.book()]
            let readers = try await world.readers(8)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for reader in readers {
                    group.addTask {
                        for book in books {
                            for status: Library.Status in [.want, .reading, .read] {
                                try await world.given.shelved(book, status, by: reader)
                            }
                        }
                    }
                }
                group.addTask { for _ in 0..<20 { try await world.community.ranking.fold() } }
                try await group.waitForAll()
            }
            for book in books { #expect(try await world.folded(book) == [Sum(24, of: 8)]) }
            #expect(try await world.community.ranking.rebuild() == 0)
        }
    }
}

/// Readers who do anything at all, drawn from the world's seed.
private struct RankingRun {
    let world: World
    private var readers: [ID<Accounts.Account>] = []
    private var books: [ID<Catalog.Work>] = []
    private var limited: Set<ID<Accounts.Account>> = []

    init(_ world: World) { self.world = world }

    mutating func settle() async throws {
        readers = try await world.readers(6)
        readers.append(try await world.given.reader(isVerified: false))
        for _ in 0..<6 { books.append(try await world.given.book()) }
    }

    /// One act; what the community refuses is no act.
    mutating func act() async throws {
        let random = world.random
        guard let reader = random.element(of: readers), let book = random.element(of: books) else { return }
        do {
            switch random.number(in: 0..<20) {
            case 0..<8:
                let status = Library.Status.allCases[random.number(in: 0..<Library.Status.allCases.count)]
                let ago = Int32(random.number(in: 0..<5))
                let ended = PartialDate(CalendarDate(days: world.clock.now().day.days - ago), .day)
                let level: Visibility? = random.once(in: 6) ? .friends : nil
                try await world.given.shelved(
                    book, status, by: reader, finished: status == .read && random.once(in: 2) ? ended : nil,
                    visibility: level)
            case 8..<10: try await world.given.review(by: reader, of: book, body: random.once(in: 2) ? "Words." : nil)
            case 10: try await world.given.praised(book, by: reader)
            case 11: try await world.community.library.remove(book, by: reader)
            case 12: try await world.community.reviews.remove(on: book, by: reader)
            case 13: try await world.community.praise.remove(.recommendation, on: book, by: reader)
            case 14..<17: world.clock.advance(by: .seconds(random.number(in: 0...172_800)))
            case 17: try await limit(reader)
            case 18 where random.once(in: 4): try await merge(book)
            case 19 where random.once(in: 8): try await leave(reader)
            default: break
            }
        } catch is Failure {}
    }

    private mutating func limit(_ reader: ID<Accounts.Account>) async throws {
        let name = try await world.asSuperuser("select username from account where id = \(reader)").first?.first ?? nil
        if limited.remove(reader) != nil {
            try await world.community.accounts.restore(name ?? "", by: World.terminal, reason: "test")
        } else {
            limited.insert(reader)
            try await world.community.accounts.limit(name ?? "", by: World.terminal, reason: "test")
        }
    }

    private mutating func merge(_ book: ID<Catalog.Work>) async throws {
        guard let other = world.random.element(of: books.filter { $0 != book }) else { return }
        try await world.community.catalog.merge(.book(book), into: .book(other), by: Catalog.Helper(World.terminal))
        books.removeAll { $0 == book }
        books.append(try await world.given.book())
    }

    private mutating func leave(_ reader: ID<Accounts.Account>) async throws {
        try await world.community.accounts.close(reader)
        readers.removeAll { $0 == reader }
        limited.remove(reader)
        readers.append(try await world.given.reader())
    }

    /// One row of `activity`, with whether what it made is counted.
    private struct Act {
        let reader, work, kind: String
        let at: Int64
        let weight: Int
        let leftOut: Int?
        let stands, isCounted: Bool

        var day: Int64 { at / 86_400_000_000 }
        var hour: Int64 { at / 3_600_000_000 }
    }

    private func acts() async throws -> [Act] {
        try await world.asSuperuser(
            """
            select act.reader_id, act.work_id, act.kind, (extract(epoch from act.at) * 1000000)::bigint, act.weight, act.left_out,
                   act.undone_at is null, coalesce(review.counted, shelf_entry.counted, praise.counted, false)
              from activity act
              left join review on review.id = act.subject
              left join shelf_entry on shelf_entry.id = act.subject
              left join praise on praise.id = act.subject
             order by act.at, act.id
            """
        ).map { row in
            let text = row.map { $0 ?? "" }
            return Act(
                reader: text[0], work: text[1], kind: text[2], at: Int64(text[3]) ?? 0, weight: Int(text[4]) ?? -1,
                leftOut: Int(text[5]), stands: text[6] == "t", isCounted: text[7] == "t")
        }
    }

    /// Compares the sums with those of the acts, added up here.
    func check() async throws {
        try await world.community.ranking.fold()
        let acts = try await acts()
        var units: [[String]: (weight: Int, hour: Int64)] = [:]
        for act in acts where act.stands && act.isCounted && act.weight > 0 {
            let key = [act.work, String(act.day), act.reader]
            if act.weight > units[key]?.weight ?? 0 { units[key] = (act.weight, act.hour) }
        }
        var days: [[String]: [Int]] = [:]
        var hours: [[String]: [Int]] = [:]
        let firstHour = (world.clock.now().day.days - Int32(Limits.ranking.keptHourDays)) * 24
        for (key, unit) in units {
            days[[key[0], key[1]], default: [0, 0]][0] += unit.weight
            days[[key[0], key[1]], default: [0, 0]][1] += 1
            guard unit.hour >= Int64(firstHour) else { continue }
            hours[[key[0], String(unit.hour)], default: [0, 0]][0] += unit.weight
            hours[[key[0], String(unit.hour)], default: [0, 0]][1] += 1
        }
        let storedDays = try await stored("select work_id, day - '1970-01-01', units, readers from work_bucket")
        #expect(storedDays == days)
        let storedHours = try await stored(
            """
            select work_id, (extract(epoch from hour) / 3600)::bigint, units, readers
              from work_bucket_hour
             where hour >= to_timestamp(\(firstHour)::bigint * 3600)
            """)
        #expect(storedHours == hours)
        checkWeights(of: acts)
    }

    private func stored(_ sql: String) async throws -> [[String]: [Int]] {
        var sums: [[String]: [Int]] = [:]
        for row in try await world.asSuperuser(sql) {
            let text = row.map { $0 ?? "" }
            sums[[text[0], text[1]]] = [Int(text[2]) ?? -1, Int(text[3]) ?? -1]
        }
        return sums
    }

    /// An act weighs what its kind does, or nothing and says why.
    private func checkWeights(of acts: [Act]) {
        let full = Dictionary(uniqueKeysWithValues: Activity.Kind.allCases.map { ($0.rawValue, Int($0.weight)) })
        for act in acts {
            let weight = full[act.kind] ?? 0
            #expect(act.weight == (act.leftOut == nil ? weight : 0))
            #expect(act.leftOut == nil || weight > 0)
        }
    }
}
