import Community
import EventLog
import Postgres

/// What viewers get of one event.
package struct Hearing: Hashable, Sendable {
    /// Those who get it whole.
    package var seen: Set<Int64> = []
    package var gated: Set<Int64> = []
    package var placeholder: JSON?

    package init(seen: Set<Int64> = [], gated: Set<Int64> = [], placeholder: JSON? = nil) {
        self.seen = seen
        self.gated = gated
        self.placeholder = placeholder
    }

    package init(_ verdict: Verdict, among viewers: [Int64]) {
        gated = verdict.gated.intersection(viewers)
        seen = Set(viewers).subtracting(gated).subtracting(verdict.hidden)
        placeholder = gated.isEmpty ? nil : verdict.placeholder
    }
}

extension EventAudience {
    /// What `viewers` get of each event.
    package func verdicts(on events: [LoggedEvent], for viewers: [Int64]) async throws -> [Hearing] {
        try await verdicts(on: events.map { Offered($0, to: viewers) }).map { Hearing($0, among: viewers) }
    }

    /// For each event those of `viewers` who get it whole.
    package func visible(_ events: [LoggedEvent], to viewers: [Int64]) async throws -> [Set<Int64>] {
        try await verdicts(on: events, for: viewers).map(\.seen)
    }
}

extension HomeTopics {
    /// For each event those of `readers` whose home shows it.
    package func shown(_ events: [LoggedEvent], atHomesOf readers: [Int64]) async throws -> [Set<Int64>] {
        try await notAtHome(events.map { Offered($0, to: readers) }).map { Set(readers).subtracting($0) }
    }
}

extension Feed.Audience {
    /// The same, with as many listeners as one likes asked about one by one, and again with none.
    package func verdicts(on events: [LoggedEvent], for viewers: [Int64]) async throws -> [Hearing] {
        try await CheckedAudience(self).verdicts(on: events.map { Offered($0, to: viewers) })
            .map { Hearing($0, among: viewers) }
    }

    package func visible(_ events: [LoggedEvent], to viewers: [Int64]) async throws -> [Set<Int64>] {
        try await verdicts(on: events, for: viewers).map(\.seen)
    }
}

/// Asks about every viewer one by one, and by exception, and demands one answer. What changes between both questions is asked again.
package struct CheckedAudience: EventAudience {
    private let singly: Feed.Audience
    private let byException: Feed.Audience

    package init(_ audience: Feed.Audience) {
        var (singly, byException) = (audience, audience)
        (singly.mostAskedSingly, byException.mostAskedSingly) = (.max, 0)
        (self.singly, self.byException) = (singly, byException)
    }

    /// Both ways gave different answers, again and again.
    package struct Difference: Error {
        let event: LoggedEvent
        let singly: Hearing
        let byException: Hearing
    }

    package func verdicts(on offers: [Offered]) async throws -> [Verdict] {
        for attempt in 1... {
            let (one, other) = (try await singly.verdicts(on: offers), try await byException.verdicts(on: offers))
            let differences = zip(offers, zip(one, other)).compactMap { offer, verdicts in
                Difference(
                    event: offer.event, singly: Hearing(verdicts.0, among: offer.viewers),
                    byException: Hearing(verdicts.1, among: offer.viewers))
            }.filter { $0.singly != $0.byException }
            guard let difference = differences.first else { return other }
            if attempt == 20 {
                // A hub would ask again and again, and nobody would know why.
                print("Asking by exception differs: \(difference)")
                throw difference
            }
        }
        return []
    }
}
