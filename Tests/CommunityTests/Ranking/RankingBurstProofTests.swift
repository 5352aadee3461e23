import Foundation
import Postgres
import TestSupport
import Testing

@testable import Community

/// Bursts that were planted among twenty thousand books, and who finds them: the lists, and the formulas of two peers.
@Suite(.database(.fresh)) struct RankingBurstProofTests {
    private static let books = 20_000
    private static let days = 60
    /// Places that are looked at: as many as there are bursts.
    private static let places = 50

    /// Of how many of the first fifty places it is right that they are there: all seeds together.
    private struct Precision {
        var ours: [Ranking.Span: Double] = [:]
        var openLibrary = 0.0
        var mastodon = 0.0
    }

    @Test(.long, .sharedTool("trend_sim.py", with: "numpy"), .timeLimit(.minutes(60)))
    func `planted bursts are found, many more than peers' formulas find`() async throws {
        let folder = NSTemporaryDirectory() + "commonplace-bursts-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try await SharedTool.run("trend_sim.py", "--dump", folder)
        let seeds = ProofCount.isFull ? Array(1...10) : [TestRandom().number(in: 1...10)]
        try await withWorld(leaving: .outbox) { world in
            try await Self.furnish(world)
            var precision = Precision()
            for seed in seeds {
                let counts = try Self.counts(folder + "/seed-\(seed).counts.csv")
                let truth = try Self.truth(folder + "/seed-\(seed).truth.csv")
                let share = { (found: [Int]) in
                    Double(found.count(where: truth.contains)) / Double(Self.places) / Double(seeds.count)
                }
                try await Self.fill(counts, in: world)
                for span in Ranking.Span.allCases {
                    precision.ours[span, default: 0] += share(try await Self.found(span, in: world))
                }
                precision.openLibrary += share(Self.top(counts, by: Self.openLibrary))
                precision.mastodon += share(Self.top(counts, by: Self.mastodon))
            }
            print("bursts, seeds \(seeds): \(precision)")
            let (day, week) = (precision.ours[.day] ?? 0, precision.ours[.week] ?? 0)
            // One seed alone scatters.
            let slack = ProofCount.isFull ? 0 : 0.1
            #expect(day >= 0.93 - slack)
            #expect(week >= 0.95 - slack)
            for peer in [precision.openLibrary, precision.mastodon] { #expect(min(day, week) >= peer + 0.25 - slack) }
        }
    }

    // MARK: What is planted

    /// The books, and as many active readers as make five readers the least that a list wants.
    private static func furnish(_ world: World) async throws {
        try await world.asSuperuser(
            """
            insert into work (id, title) select n, 'Book ' || n from generate_series(1, \(books)) n;
            insert into work_popularity (work_id, listed) select n, true from generate_series(1, \(books)) n
            """)
        try await world.active(1000)
    }

    /// Readers of each book by day; the last day is today.
    private static func counts(_ path: String) throws -> [[Double]] {
        var counts = Array(repeating: Array(repeating: 0.0, count: days), count: books)
        for line in try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").dropFirst() {
            let fields = line.split(separator: ",").compactMap { Int($0) }
            try #require(fields.count == 3)
            counts[fields[0]][fields[1]] = Double(fields[2])
        }
        return counts
    }

    private static func truth(_ path: String) throws -> Set<Int> {
        let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").dropFirst()
        return Set(lines.compactMap { $0.split(separator: ",").first.flatMap { Int($0) } })
    }

    /// Sums of one unit a reader. Those of the last days stand in the hour of the present, so that each is whole days old.
    private static func fill(_ counts: [[Double]], in world: World) async throws {
        let now = world.clock.now()
        let hour = now.microseconds / 3_600_000_000 * 3600
        try await world.asSuperuser("truncate work_bucket, work_bucket_hour, site_bucket")
        for start in stride(from: 0, to: books, by: 500) {
            var rows: [String] = []
            for book in start..<start + 500 {
                for day in 0..<days where counts[book][day] > 0 {
                    rows.append("(\(book + 1), \(days - 1 - day), \(Int(counts[book][day])))")
                }
            }
            guard !rows.isEmpty else { continue }
            try await world.asSuperuser(
                """
                with row (work_id, ago, readers) as (values \(rows.joined(separator: ","))), hours as (
                    insert into work_bucket_hour (work_id, hour, units, readers)
                    select work_id, to_timestamp(\(hour) - ago * 86400), readers, readers from row where ago < 3
                )
                insert into work_bucket (work_id, day, units, readers)
                select work_id, date '\(now.day.text)' - ago, readers, readers from row
                """)
        }
        try await world.asSuperuser(
            """
            insert into site_bucket (day, units, is_stale) select day, sum(units), false from work_bucket group by day;
            analyze work_bucket, work_bucket_hour
            """)
    }

    // MARK: What is found

    private static func found(_ span: Ranking.Span, in world: World) async throws -> [Int] {
        let id = try await world.community.ranking.make(span, at: world.clock.now())
        let rows = try await world.asSuperuser(
            """
            select work_id from ranking_entry
             where generation_id = \(id) and genre_id = 0 and not is_popular and place <= \(places)
            """)
        return rows.compactMap { $0.first.flatMap(\.self).flatMap { Int($0) } }.map { $0 - 1 }
    }

    private static func top(_ counts: [[Double]], by score: ([Double]) -> Double) -> [Int] {
        let scores = counts.map(score)
        return scores.indices.sorted { (-scores[$0], $0) < (-scores[$1], $1) }.prefix(places).map(\.self)
    }

    /// Open Library: (today − mean of 7 days) / (their deviation + 1), where there is enough of both.
    private static func openLibrary(_ counts: [Double]) -> Double {
        let (today, week) = (counts[days - 1], counts[(days - 8)..<(days - 1)])
        let sum = week.reduce(0, +)
        guard sum + today >= 30, sum >= 8 else { return 0 }
        let mean = sum / 7
        let deviation = (week.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / 7).squareRoot()
        return (today - mean) / (deviation + 1)
    }

    /// Mastodon: (o − e)² / e of a day and the day before, from five on, halved each four hours; the best of three days.
    private static func mastodon(_ counts: [Double]) -> Double {
        (0..<3).map { age in
            let (observed, expected) = (counts[days - 1 - age], max(counts[days - 2 - age], 1))
            guard observed >= max(expected, 5) else { return 0 }
            return (observed - expected) * (observed - expected) / expected * exp2(-Double(age) * 6)
        }.max() ?? 0
    }
}
