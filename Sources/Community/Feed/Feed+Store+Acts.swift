import Postgres

extension Feed.Store {
    /// The `count` acts of `mixture` that are nearest beyond a place and may be seen, in the direction of travel;
    /// fewer, and how far was looked, where so much of what was looked at may not be seen that it is enough.
    func acts(
        _ direction: Feed.Course, _ mixture: Feed.Mixture, beyond start: TimeKey, count: Int
    ) async throws -> Feed.Part {
        var items: [Feed.Item] = []
        var looked = 0
        let windows = windows(direction, beyond: start, isCut: mixture.hasOwn)
        for (number, var window) in windows.enumerated() {
            // Deep in a feed whose friends are busy, when they did something last says nothing.
            let asksLast = start == .max || number > 0
            // Some may be hidden: a few more than are wanted are asked for, and more each time that this was not
            // enough.
            var limit = count + Limits.feed.spare
            while items.count < count {
                guard looked < bound else { return Feed.Part(items: items, end: window.near) }
                let asked = Feed.Reach(viewer: mixture.reader, direction: direction, window: window, limit: limit)
                let round =
                    if asksLast {
                        try await round(Feed.Statements.LastFriendActs(asked: asked), mixture, asked)
                    } else {
                        try await round(Feed.Statements.FriendActs(asked: asked), mixture, asked)
                    }
                items += try await seen(direction, round.candidates, by: .reader(mixture.reader))
                looked += round.candidates.count
                guard let horizon = round.horizon else { break }
                window.near = horizon
                limit = min(limit * 2, Limits.feed.candidates)
            }
            if items.count >= count { break }
        }
        return Feed.Part(items: Array(items.prefix(count)), end: nil)
    }

    private func round<Acts: Statement>(
        _ friends: Acts, _ mixture: Feed.Mixture, _ asked: Feed.Reach
    ) async throws -> Feed.Round where Acts.Output == Feed.Named {
        let database = services.database
        let followed = Feed.Statements.FollowedActs(asked: asked)
        let groups = Feed.Statements.GroupThreads(asked: asked)
        var (named, found): ([Feed.Named], [[Feed.Candidate]]) = ([], [])
        if let floor = mixture.reviews {
            let reviews = Feed.Statements.PublicReviews(asked: asked, floor: floor, newSince: services.newSince)
            if mixture.hasOwn {
                let (one, two, three, four) = try await database.pipeline(friends, followed, groups, reviews)
                (named, found) = (one, [two, three, four])
            } else {
                found = [try await database.all(reviews)]
            }
        } else {
            let (one, two, three) = try await database.pipeline(friends, followed, groups)
            (named, found) = (one, [two, three])
        }
        found.append(named.compactMap { act in act.why.map { Feed.Candidate(key: act.key, why: $0) } })
        let edge = named.first { $0.why == nil }?.key
        return Feed.Round(found, limit: asked.limit, edge: edge, isNearer: asked.direction.isNearer)
    }

    /// Those of some acts that the reader may see now, in the direction of travel.
    private func seen(
        _ direction: Feed.Course, _ candidates: [Feed.Candidate], by reader: Viewer
    ) async throws -> [Feed.Item] {
        let (threads, acts) = (candidates.filter { $0.why == .group }, candidates.filter { $0.why != .group })
        var items: [Feed.Item] = []
        if !acts.isEmpty {
            items = try await services.database.all(
                Feed.Statements.Acts(viewer: reader, candidates: acts, variation: direction))
        }
        guard !threads.isEmpty else { return items }
        items += try await said(Feed.AskedThreads(reader: reader, ids: threads.map(\.key.id)))
        return items.sorted { direction.isNearer($0.key, $1.key) }
    }

    /// Those of some threads that stand in the reader's feed now, in no order.
    private func said(_ asked: Feed.AskedThreads) async throws -> [Feed.Item] {
        let (threads, posts, places) = try await services.database.pipeline(
            Feed.Statements.Threads(asked: asked), Feed.Statements.FirstPosts(asked: asked),
            Feed.Statements.Places(asked: asked))
        let firsts = Dictionary(posts.map { ($0.thread, $0.post) }) { first, _ in first }
        let homes = Dictionary(places.map { ($0.thread, $0) }) { first, _ in first }
        return threads.compactMap { key, thread in
            guard let first = firsts[key.id], let place = homes[key.id] else { return nil }
            let whole: Boards.Thread? = if case .whole(let whole) = thread { whole } else { nil }
            return Feed.Item(
                id: key.id, why: .group, kind: .threadOpened, at: key.at, reader: whole?.author,
                book: whole == nil ? nil : place.book, thread: Boards.OpenThread(thread, first: first),
                group: place.group)
        }
    }

    /// What lies beyond a place, in one window or cut in two: most pages end in the first, which lies in two months.
    /// What fills a feed is not kept by months, and needs no cut.
    private func windows(_ direction: Feed.Course, beyond start: TimeKey, isCut: Bool) -> [Feed.Window] {
        let step = Duration.seconds(Limits.feed.windowDays * 86_400)
        // What another server's clock dated a little ahead is there as well.
        let top = TimeKey(at: services.clock.now() + .seconds(3_600), id: .max)
        let near = direction == .onward ? min(start, top) : start
        let end = direction == .onward ? TimeKey.min.at : TimeKey.max.at
        guard isCut else { return [Feed.Window(near: near, far: end)] }
        let cut = direction == .onward ? near.at - step : near.at + step
        return [
            Feed.Window(near: near, far: cut),
            Feed.Window(near: TimeKey(at: cut, id: direction == .onward ? 0 : .max), far: end),
        ]
    }
}
