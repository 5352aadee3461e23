import EventLog
import Postgres

extension Feed.Store {
    /// A reader's feed, newest first, and the position of the stream from which to follow on. The position is read
    /// before the acts: a client that follows from it may see an event again, and never misses one.
    ///
    /// Where most of what it is made of may not be seen, a page ends where it has come to, short or empty, and goes on
    /// from there.
    package func home(of reader: ID<Accounts.Account>, page: PageRequest<Feed.Place>) async throws -> Feed.Home {
        let position = try await EventLog.position(in: services.database)
        let part: Feed.Part
        let floor: TimeKey?
        switch page.start {
        case .first:
            (part, floor) = try await opening(of: reader, count: page.limit + 1)
        case .after(let place):
            floor = place.floor
            part = try await acts(.onward, asked(reader, floor), beyond: place.key, count: page.limit + 1)
        case .before(let place):
            floor = place.floor
            part = try await acts(.back, asked(reader, floor), beyond: place.key, count: page.limit + 1)
        }
        return Feed.Home(page: part.page(of: page, floor: floor), position: position)
    }

    private func asked(_ reader: ID<Accounts.Account>, _ floor: TimeKey?) -> Feed.Mixture {
        Feed.Mixture(reader: reader, hasOwn: true, reviews: floor)
    }

    /// The newest `count` acts of a feed, and how far back the server's reviews fill it: where the reader's own choice
    /// gives fewer than `Limits.feed.few` acts in so many days, as many of the newest as make up for it.
    ///
    /// Where the reader's own choice was read only to some place, so is the whole: reviews behind it come on the next
    /// page.
    private func opening(
        of reader: ID<Accounts.Account>, count: Int
    ) async throws -> (part: Feed.Part, floor: TimeKey?) {
        let (few, wanted) = (Limits.feed.few, max(count, Limits.feed.few))
        let own = try await acts(.onward, asked(reader, nil), beyond: .max, count: wanted)
        let since = services.clock.now() - .seconds(Limits.feed.fewInDays * 86_400)
        let lately = own.items.prefix(few).count { $0.at >= since }
        guard lately < few else { return (own.first(count), nil) }
        let known = Set(own.items.map(\.id))
        let server = Feed.Mixture(reader: reader, hasOwn: false, reviews: .min)
        let reviews = try await acts(.onward, server, beyond: .max, count: few + known.count)
        let filling = reviews.items.filter { !known.contains($0.id) }.prefix(few - lately)
        var items = (own.items + filling).sorted { $0.key > $1.key }
        if let end = own.end { items.removeAll { $0.key < end } }
        return (Feed.Part(items: items, end: own.end).first(count), filling.last?.key)
    }
}

extension Feed {
    /// What was found of a feed, in the direction of travel.
    struct Part: Sendable {
        var items: [Item]
        /// How far was looked, where that was not far enough for all that was asked for; there may be more behind it.
        var end: TimeKey?

        /// The nearest `count`. Where there are as many, it is for the last of them to say where it goes on.
        func first(_ count: Int) -> Part {
            items.count < count ? self : Part(items: Array(items.prefix(count)), end: nil)
        }

        /// The page that was asked for, from what was found with a limit of one more.
        func page(of request: PageRequest<Place>, floor: TimeKey?) -> Page<Item, Place> {
            func place(_ key: TimeKey) -> Place { Place(key, floor: floor) }
            let shown = Array(items.prefix(request.limit))
            let onward = items.count > request.limit ? shown.last?.key : end
            switch request.start {
            case .first:
                return Page(items: shown, next: onward.map(place), previous: nil)
            case .after(let start):
                return Page(
                    items: shown, next: onward.map(place), previous: (shown.first?.key ?? end).map(place) ?? start)
            case .before:
                // Nothing stands before: the list begins anew.
                return Page(
                    items: shown.reversed(), next: place(shown.first?.key ?? end ?? .max), previous: onward.map(place))
            }
        }
    }
}
