import Foundation
import Postgres

/// Hands out lanes, a bounded number at a time, and keeps the shared ones for the next test.
///
/// Permits are what bounds; the databases behind them are made when they are first needed.
package actor LaneRack {
    package static let shared = LaneRack(permits: min(8, max(4, ProcessInfo.processInfo.activeProcessorCount)))

    private let permits: Permits
    private var free: [Lane] = []
    private var made = 0
    private var template: Task<LaneTemplate, any Error>?
    /// The databases that `.filled` lanes are copied from, by their SQL.
    private var fills: [String: Task<Lane, any Error>] = [:]

    init(permits: Int) { self.permits = Permits(permits) }

    /// Runs `body` with a lane in `Lane.current`. Before anyone else gets its place the lane is emptied, or dropped.
    nonisolated package func withLane(
        _ kind: Lane.Kind, isLong: Bool = false, _ body: @Sendable () async throws -> Void
    ) async throws {
        await permits.acquire(isLong: isLong)
        let outcome: Result<Void, any Error>
        do {
            let lane = try await take(kind)
            do {
                try await Lane.$current.withValue(lane, operation: body)
                outcome = .success(())
            } catch {
                outcome = .failure(error)
            }
            try await putBack(lane)
        } catch {
            await permits.release()
            throw error
        }
        await permits.release()
        try outcome.get()
    }

    private func take(_ kind: Lane.Kind) async throws -> Lane {
        if kind == .shared, let lane = free.popLast() { return lane }
        let template = try await prepared()
        let lane = named(kind, template)
        if case .filled(let sql) = kind {
            try await template.create(lane, from: filled(by: sql, template).name)
        } else {
            try await template.create(lane)
        }
        return lane
    }

    private func named(_ kind: Lane.Kind, _ template: LaneTemplate) -> Lane {
        made += 1
        return Lane(
            name: "lane_\(ProcessInfo.processInfo.processIdentifier)_\(made)", kind: kind, cluster: template.cluster)
    }

    /// The database that `sql` has filled: by the first test that asks for it, while others wait. A later process drops it.
    private func filled(by sql: String, _ template: LaneTemplate) async throws -> Lane {
        if let fill = fills[sql] { return try await fill.value }
        let lane = named(.fresh, template)
        let fill = Task {
            try await template.create(lane)
            try await template.fill(lane, with: sql)
            return lane
        }
        fills[sql] = fill
        return try await fill.value
    }

    private func putBack(_ lane: Lane) async throws {
        let template = try await prepared()
        switch lane.kind {
        case .shared:
            if try await template.empty(lane) { free.append(lane) }
        case .fresh, .filled, .empty:
            try await template.drop(lane)
        }
    }

    private func prepared() async throws -> LaneTemplate {
        if let template { return try await template.value }
        let task = Task { try await LaneTemplate.prepare(TestCluster.fromEnvironment()) }
        template = task
        return try await task.value
    }
}
