import Community
import EventLog
import Logging
import NIOCore
import Postgres

/// What an event stream needs to begin and to catch up: the same as a WebSocket does, for all its topics at once.
extension EventStream.Hub {
    func work(_ effect: EventStream.SourceSession.Effect, of socket: EventStream.Switchboard.SocketID) async {
        switch effect {
        case .open(let names, let from): await open(socket, names, from)
        case .page(let after): await page(socket, after)
        case .state, .close: break
        }
    }

    private func open(
        _ socket: EventStream.Switchboard.SocketID, _ names: [EventStream.Name], _ from: EventStream.Session.Start
    ) async {
        var wait: Duration = .milliseconds(100)
        while names.contains(where: { isFollowed($0, by: socket) }), !Task.isCancelled {
            do {
                guard try await begin(socket, names, from) else { continue }
                return
            } catch {
                // The client waits for its answer; the database comes back or the client goes.
                logger.debug("An event stream waits for the database", metadata: ["error": "\(error)"])
                try? await Task.sleep(for: wait)
                wait = min(wait * 2, .seconds(1))
            }
        }
    }

    private func isFollowed(_ name: EventStream.Name, by socket: EventStream.Switchboard.SocketID) -> Bool {
        board.isCurrent(socket, name, token: EventStream.SourceSession.token)
    }

    /// Turns all of `names` on that the reader may follow, and tells the stream where they begin. False where the log began anew meanwhile.
    private func begin(
        _ socket: EventStream.Switchboard.SocketID, _ names: [EventStream.Name], _ from: EventStream.Session.Start
    ) async throws -> Bool {
        guard let reader = board.reader(of: socket) else { return true }
        guard hasBegun else {
            // The tail has not said yet where the log is: any answer now would be a wrong one.
            try await Task.sleep(for: .milliseconds(5))
            return false
        }
        // Asked while the board has them already: what ends one of them from now on finds it there.
        for name in names where isFollowed(name, by: socket) {
            if try await mayFollow(name, reader) { continue }
            close(socket, name, token: EventStream.SourceSession.token)
        }
        if isFollowed(.home, by: socket) { try await loadHome(reader) }
        let followed = names.filter { isFollowed($0, by: socket) }
        guard !followed.isEmpty else { return true }
        // One step: offers begin on all of them, and this is where they begin.
        for name in followed { board.turnOn(socket, name) }
        let (began, now) = (history, planned)
        let place = try await place(from, now: now, of: board.topics(of: socket)) { after, through in
            guard followed.contains(where: \.isOwnChain) else { return .max }
            return try await toldCount(socket, reader, after: after, through: through)
        }
        guard began == history else { return false }
        ports[socket]?.opened(
            EventStream.SourceSession.Opening(position: place.position, replay: place.replay, reset: place.reset))
        return true
    }

    /// Events of which the stream is told at all: a chain of one's own says nothing of the others. `nil` where part of them has expired.
    private func toldCount(
        _ socket: EventStream.Switchboard.SocketID, _ reader: Int64, after: Int64, through: Int64
    ) async throws -> Int? {
        var (count, place) = (0, after)
        while true {
            let page = try await log.page(
                of: board.topics(of: socket), after: place, through: through, limit: limits.pageEvents)
            guard let page else { return nil }
            count += try await told(page, socket, reader).count { !$0.names.isEmpty }
            guard let last = page.last, page.count == limits.pageEvents else { return count }
            place = last.seq
        }
    }

    /// An event, and on which topics the stream is told of it.
    private struct Told {
        let event: LoggedEvent
        let verdict: Verdict
        let names: [EventStream.Name]
    }

    /// Asked of the database now, as for what happens now.
    private func told(
        _ events: [LoggedEvent], _ socket: EventStream.Switchboard.SocketID, _ reader: Int64
    ) async throws -> [Told] {
        let names = events.map { board.names(of: socket, on: $0) }
        let verdicts = try await audience.verdicts(on: events.map { Offered($0, to: [reader]) })
        let atHome = zip(events, names).map { Offered($0, to: $1.contains(.home) ? [reader] : []) }
        let away =
            names.contains { $0.contains(.home) } ? try await homes.notAtHome(atHome) : events.map { _ in [] }
        return events.indices.map { place in
            let told = names[place].filter { name in
                guard name.isOwnChain else { return true }
                return verdicts[place].isWhole(for: reader) && (name != .home || away[place].isEmpty)
            }
            return Told(event: events[place], verdict: verdicts[place], names: told)
        }
    }

    private func page(_ socket: EventStream.Switchboard.SocketID, _ after: Int64) async {
        func answer(_ page: EventStream.SourceSession.Page) { ports[socket]?.received(page) }
        guard let reader = board.reader(of: socket) else { return }
        let (began, now) = (history, planned)
        do {
            let events = try await log.page(
                of: board.topics(of: socket), after: after, through: now.seq, limit: limits.pageEvents)
            let told = try await told(events ?? [], socket, reader)
            guard began == history else { return answer(.reset(.epoch, planned)) }
            guard events != nil else { return answer(.reset(.expired, now)) }
            answer(content(told, of: reader, through: now.seq))
        } catch {
            logger.debug("A page of the log could not be read", metadata: ["error": "\(error)"])
            answer(.failed)
        }
    }

    /// As much of `events` as one page may weigh, at least one.
    private func content(_ events: [Told], of reader: Int64, through: Int64) -> EventStream.SourceSession.Page {
        var bundles: [EventStream.SourceSession.Bundle] = []
        var bytes = 0
        for told in events {
            var wrapper = EventStream.Wrapper(told.event, told.verdict, cursor: cursor(told.event.seq))
            let parcels = told.names.compactMap { wrapper.parcel(for: reader, on: $0) }
            guard let bundle = EventStream.SourceSession.Bundle(parcels) else { continue }
            bytes += bundle.bytes
            if bytes > limits.pageBytes, let last = bundles.last {
                return .bundles(bundles, through: last.seq, isLast: false)
            }
            bundles.append(bundle)
        }
        guard let last = events.last, events.count == limits.pageEvents else {
            return .bundles(bundles, through: through, isLast: true)
        }
        return .bundles(bundles, through: last.event.seq, isLast: false)
    }
}
