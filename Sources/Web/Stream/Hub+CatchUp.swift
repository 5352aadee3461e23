import Community
import DequeModule
import EventLog
import Logging
import Postgres

/// What one socket needs to catch up with the log, read for it beside the live events.
extension EventStream.Hub {
    /// Works on `first` and then on whatever waits.
    func work(_ first: Job) async {
        var next: Job? = first
        while let job = next {
            switch job {
            case .effect(.subscribe(let token, let name, let from), let socket):
                await open(socket, token, name, from)
            case .effect(.page(let token, let name, let after), let socket): await page(socket, token, name, after)
            case .effect: break
            case .proof(let session): await prove([session])
            }
            next = jobs.popFirst()
        }
        busyReaders -= 1
    }

    private func open(
        _ socket: EventStream.Switchboard.SocketID, _ token: UInt64, _ name: EventStream.Name,
        _ from: EventStream.Session.Start
    ) async {
        var wait: Duration = .milliseconds(100)
        while board.isCurrent(socket, name, token: token), !Task.isCancelled {
            do {
                guard try await begin(socket, token, name, from) else { continue }
                return
            } catch {
                // The client waits for its answer; the database comes back or the socket goes.
                logger.debug("A subscription waits for the database", metadata: ["error": "\(error)"])
                try? await Task.sleep(for: wait)
                wait = min(wait * 2, .seconds(5))
            }
        }
    }

    /// Turns a subscription on and tells the socket where it begins. False where the log began anew meanwhile.
    private func begin(
        _ socket: EventStream.Switchboard.SocketID, _ token: UInt64, _ name: EventStream.Name,
        _ from: EventStream.Session.Start
    ) async throws -> Bool {
        guard let reader = board.reader(of: socket) else { return true }
        guard hasBegun else {
            // The tail has not said yet where the log is: any answer now would be a wrong one.
            try await Task.sleep(for: .milliseconds(5))
            return false
        }
        if name == .home { try await loadHome(reader) }
        guard board.isCurrent(socket, name, token: token) else { return true }
        // One step: offers begin, and this is where they begin.
        board.turnOn(socket, name)
        let (began, now) = (history, planned)
        // Answers are given in the step in which they were found to be still good.
        func answer(_ position: StreamCursor, replay: Int = 0, reset: EventStream.ResetReason? = nil) -> Bool {
            ports[socket]?.opened(
                EventStream.Session.Opening(token: token, name: name, position: position, replay: replay, reset: reset))
            return true
        }

        let wanted: StreamCursor
        switch from {
        case .now: return answer(now)
        case .foreign: return answer(now, reset: .epoch)
        case .cursor(let cursor): wanted = cursor
        }
        guard wanted.epoch == now.epoch else { return answer(now, reset: .epoch) }
        guard wanted.seq <= now.seq else {
            // Another process was ahead of this one; or the log lost its end.
            let head = try await log.head()
            guard began == history else { return false }
            let isReached = head.epoch == wanted.epoch && head.seq >= wanted.seq
            return isReached ? answer(wanted) : answer(now, reset: .ahead)
        }
        let topics = board.topics(of: name, for: socket)
        let count = try await log.count(of: topics, after: wanted.seq, through: now.seq, limit: limits.replay + 1)
        guard began == history else { return false }
        guard let count else { return answer(now, reset: .expired) }
        guard count <= limits.replay else { return answer(now, reset: .tooFar) }
        guard name.isOwnChain, count > 0 else { return count == 0 ? answer(now) : answer(wanted, replay: count) }
        let visible = try await visibleCount(of: topics, to: reader, after: wanted.seq, through: now.seq)
        guard began == history else { return false }
        guard let visible else { return answer(now, reset: .expired) }
        return visible == 0 ? answer(now) : answer(wanted, replay: visible)
    }

    /// Events that the reader may see: a chain of one's own does not count the others. `nil` where part of them has expired.
    private func visibleCount(
        of topics: [Topic], to reader: Int64, after: Int64, through: Int64
    ) async throws -> Int? {
        var (count, place) = (0, after)
        while true {
            let page = try await log.page(of: topics, after: place, through: through, limit: limits.pageEvents)
            guard let page else { return nil }
            count += try await audience.visible(page, to: [reader]).count { $0.contains(reader) }
            guard let last = page.last, page.count == limits.pageEvents else { return count }
            place = last.seq
        }
    }

    private func page(
        _ socket: EventStream.Switchboard.SocketID, _ token: UInt64, _ name: EventStream.Name, _ after: Int64
    ) async {
        func answer(_ content: EventStream.Session.Page.Content) {
            ports[socket]?.received(EventStream.Session.Page(token: token, name: name, content: content))
        }
        guard let reader = board.reader(of: socket), board.isCurrent(socket, name, token: token) else {
            return answer(.failed)
        }
        let (began, now) = (history, planned)
        do {
            let topics = board.topics(of: name, for: socket)
            let events = try await log.page(of: topics, after: after, through: now.seq, limit: limits.pageEvents)
            let visible = try await audience.visible(events ?? [], to: [reader])
            guard began == history else { return answer(.reset(.epoch, planned)) }
            guard let events else { return answer(.reset(.expired, now)) }
            answer(content(events, visible.map { $0.contains(reader) }, name, through: now.seq))
        } catch {
            logger.debug("A page of the log could not be read", metadata: ["error": "\(error)"])
            answer(.failed)
        }
    }

    /// As much of `events` as one page may weigh, at least one.
    private func content(_ events: [LoggedEvent], _ visible: [Bool], _ name: EventStream.Name, through: Int64)
        -> EventStream.Session.Page.Content
    {
        var parcels: [EventStream.Parcel] = []
        var bytes = 0
        for (event, isVisible) in zip(events, visible) where isVisible || !name.isOwnChain {
            let shared = EventStream.SharedEvent(event, cursor: cursor(event.seq))
            let prev = event.prev(on: name)
            let whole = name.isOwnChain ? nil : shared.whole(topic: name, prev: prev, isVisible: isVisible)
            let parcel = EventStream.Parcel(topic: name, event: shared, isVisible: isVisible, whole: whole)
            bytes += parcel.bytes
            if bytes > limits.pageBytes, !parcels.isEmpty {
                return .parcels(parcels, through: parcels[parcels.count - 1].seq, isLast: false)
            }
            parcels.append(parcel)
        }
        guard let last = events.last, events.count == limits.pageEvents else {
            return .parcels(parcels, through: through, isLast: true)
        }
        return .parcels(parcels, through: last.seq, isLast: false)
    }
}
