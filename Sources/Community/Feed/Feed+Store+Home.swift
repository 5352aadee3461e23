import EventLog
import Postgres

extension Feed {
    /// Whose acts a feed is read from: what is the reader's own choice, the server's reviews from a place on, or both.
    struct Mixture: Hashable, Sendable {
        let hasOwn: Bool
        let reviews: Key?
    }

    /// What the sources have to say of a window, complete from its near end on.
    struct Round: Sendable {
        /// Nearest first, each act once, with the first reason.
        let candidates: [Candidate]
        /// The last place to which every source was read; `nil` where all of them were read to the window's end.
        let horizon: Key?

        /// `isNearer`: the order of the way. `limit`: acts that each of `sources` was asked for.
        init(_ sources: [[Candidate]], limit: Int, isNearer: (Key, Key) -> Bool) {
            // A source that had more has named nothing beyond its last: nor is anything known there of the whole.
            let horizon = sources.filter { $0.count >= limit }.compactMap(\.last?.key).min(by: isNearer)
            var reasons: [Key: Why] = [:]
            for candidate in sources.joined() {
                if let horizon, isNearer(horizon, candidate.key) { continue }
                let known = reasons[candidate.key] ?? candidate.why
                reasons[candidate.key] = known.rawValue < candidate.why.rawValue ? known : candidate.why
            }
            candidates = reasons.map { Candidate(key: $0.key, why: $0.value) }.sorted { isNearer($0.key, $1.key) }
            self.horizon = horizon
        }
    }
}

extension Feed.Store {
    /// A reader's feed, newest first, and the position of the stream from which to follow on. The position is read before the acts: whoever
    /// follows from it may see an event again, and never misses one.
    package func home(
        of reader: ID<Accounts.Account>, page: PageRequest<Feed.Place>
    ) async throws -> Feed.Home {
        let position = try await EventLog.position(in: house.database)
        let start: Feed.Place
        var opening: [Feed.Item]?
        switch page.start {
        case .first:
            let (items, floor) = try await self.opening(of: reader, count: page.limit + 1)
            (start, opening) = (Feed.Place(.max, floor: floor), items)
        case .after(let place), .before(let place): start = place
        }
        let (first, mixture) = (opening, Feed.Mixture(hasOwn: true, reviews: start.floor))
        let items = try await page.read(
            from: Feed.Place(.max, floor: start.floor), key: { Feed.Place($0.key, floor: start.floor) },
            after: { place, count in
                if let first { return first }
                return try await acts(NewestFirst.self, mixture, for: reader, beyond: place.key, count: count)
            },
            before: { place, count in
                try await acts(OldestFirst.self, mixture, for: reader, beyond: place.key, count: count)
            })
        return Feed.Home(page: items, position: position)
    }

    /// The newest `count` acts of a feed, and how far back the server's reviews fill it: where the reader's own choice gives fewer than
    /// `Limits.Feed.few` acts in so many days, as many of the newest as make up for it.
    private func opening(
        of reader: ID<Accounts.Account>, count: Int
    ) async throws -> (items: [Feed.Item], floor: Feed.Key?) {
        let (few, wanted) = (Limits.Feed.few, max(count, Limits.Feed.few))
        let own = try await acts(
            NewestFirst.self, Feed.Mixture(hasOwn: true, reviews: nil), for: reader, beyond: .max, count: wanted)
        let since = house.clock.now() - .seconds(Limits.Feed.fewInDays * 86_400)
        let lately = own.prefix(few).count { $0.at >= since }
        guard lately < few else { return (Array(own.prefix(count)), nil) }
        let known = Set(own.map(\.id))
        let reviews = try await acts(
            NewestFirst.self, Feed.Mixture(hasOwn: false, reviews: .min), for: reader, beyond: .max,
            count: few + known.count)
        let filling = reviews.filter { !known.contains($0.id) }.prefix(few - lately)
        let items = (own + filling).sorted { $0.key > $1.key }
        return (Array(items.prefix(count)), filling.last?.key)
    }

    /// The `count` acts of `mixture` that are nearest beyond a place and may be seen, in the direction of travel.
    private func acts<Way: ListWay>(
        _ way: Way.Type, _ mixture: Feed.Mixture, for reader: ID<Accounts.Account>, beyond start: Feed.Key, count: Int
    ) async throws -> [Feed.Item] {
        var items: [Feed.Item] = []
        for var window in windows(way, beyond: start) {
            // Some may be hidden: a few more than are wanted are asked for, and more each time that this was not enough.
            var limit = count + Limits.Feed.spare
            while items.count < count {
                let round = try await round(way, mixture, for: reader, in: window, limit: limit)
                if !round.candidates.isEmpty {
                    let asked = Feed.Asked(reader: .reader(reader), candidates: round.candidates)
                    items += try await house.database.all(Feed.Statements.Acts<Way>(asked: asked))
                }
                guard let horizon = round.horizon else { break }
                window.near = horizon
                limit = min(limit * 2, Limits.Feed.candidates)
            }
            if items.count >= count { break }
        }
        return Array(items.prefix(count))
    }

    private func round<Way: ListWay>(
        _ way: Way.Type, _ mixture: Feed.Mixture, for reader: ID<Accounts.Account>, in window: Feed.Window, limit: Int
    ) async throws -> Feed.Round {
        let database = house.database
        let friends = Feed.Statements.FriendActs<Way>(reader: reader, window: window, limit: limit)
        let followed = Feed.Statements.FollowedActs<Way>(reader: reader, window: window, limit: limit)
        let found: [[Feed.Candidate]]
        if let floor = mixture.reviews {
            let reviews = Feed.Statements.PublicReviews<Way>(window: window, floor: floor, limit: limit)
            if mixture.hasOwn {
                let (one, two, three) = try await database.together(friends, followed, reviews)
                found = [one, two, three]
            } else {
                found = [try await database.all(reviews)]
            }
        } else {
            let (one, two) = try await database.together(friends, followed)
            found = [one, two]
        }
        return Feed.Round(found, limit: limit) { Way.isNewestFirst ? $0 > $1 : $0 < $1 }
    }

    /// What lies beyond a place, cut into windows that widen: most pages end in the first, which lies in one month or two.
    private func windows<Way: ListWay>(_: Way.Type, beyond start: Feed.Key) -> [Feed.Window] {
        let steps = Limits.Feed.windowDays.map { Duration.seconds($0 * 86_400) }
        var (windows, near): ([Feed.Window], Feed.Key)
        if Way.isNewestFirst {
            // What another server's clock dated a little ahead is there as well.
            let top = Feed.Key(at: house.clock.now() + .seconds(3_600), id: .max)
            (windows, near) = ([], min(start, top))
            let begin = near.at
            for far in steps.map({ begin - $0 }) + [Feed.Key.min.at] {
                windows.append(Feed.Window(near: near, far: far))
                near = Feed.Key(at: far, id: 0)
            }
        } else {
            (windows, near) = ([], start)
            let begin = near.at
            for far in steps.map({ begin + $0 }) + [Feed.Key.max.at] {
                windows.append(Feed.Window(near: near, far: far))
                near = Feed.Key(at: far, id: .max)
            }
        }
        return windows
    }
}
