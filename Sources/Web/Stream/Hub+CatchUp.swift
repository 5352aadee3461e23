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
            case .source(let effect, let socket): await work(effect, of: socket)
            case .proof:
                let sessions = unproved
                unproved = []
                if await prove(sessions) || Task.isCancelled { break }
                unproved.formUnion(sessions)
                try? await Task.sleep(for: .seconds(1))
                jobs.append(.proof)
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
                wait = min(wait * 2, .seconds(1))
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
        if name.isState { return try await beginState(socket, token, name) }
        // Asked while the board has the subscription already: what ends it from now on finds it there.
        let mayFollow = try await mayFollow(name, reader)
        if name == .home { try await loadHome(reader) }
        guard board.isCurrent(socket, name, token: token) else { return true }
        guard mayFollow else {
            close(socket, name, token: token)
            return true
        }
        // One step: offers begin, and this is where they begin.
        board.turnOn(socket, name)
        let (began, now) = (history, planned)
        let topics = board.topics(of: name, for: socket)
        let place = try await place(from, now: now, of: topics) { after, through in
            guard name.isOwnChain else { return .max }
            return try await visibleCount(of: topics, to: reader, on: name, after: after, through: through)
        }
        // Answers are given in the step in which they were found to be still good.
        guard began == history else { return false }
        ports[socket]?.opened(
            EventStream.Session.Opening(
                token: token, name: name, position: place.position, replay: place.replay, reset: place.reset))
        return true
    }

    /// Where a subscription begins.
    struct Place {
        let position: StreamCursor
        /// Events that are to be read from the log first.
        var replay = 0
        var reset: EventStream.ResetReason?
    }

    /// Where a subscription to `topics` that was turned on at `now` begins when its client asked for `from`. `told`: how many events after one
    /// seq and up to another the client gets; `nil` where some of them have expired.
    func place(
        _ from: EventStream.Session.Start, now: StreamCursor, of topics: [Topic],
        told: (Int64, Int64) async throws -> Int?
    ) async throws -> Place {
        let wanted: StreamCursor
        switch from {
        case .now: return Place(position: now)
        case .foreign: return Place(position: now, reset: .epoch)
        case .cursor(let cursor): wanted = cursor
        }
        guard wanted.epoch == now.epoch else { return Place(position: now, reset: .epoch) }
        guard wanted.seq <= now.seq else {
            // Another process was ahead of this one; or the log lost its end.
            let head = try await log.head()
            let isReached = head.epoch == wanted.epoch && head.seq >= wanted.seq
            return isReached ? Place(position: wanted) : Place(position: now, reset: .ahead)
        }
        let count = try await log.count(of: topics, after: wanted.seq, through: now.seq, limit: limits.replay + 1)
        guard let count else { return Place(position: now, reset: .expired) }
        guard count <= limits.replay else { return Place(position: now, reset: .tooFar) }
        guard count > 0 else { return Place(position: now) }
        guard let told = try await told(wanted.seq, now.seq) else { return Place(position: now, reset: .expired) }
        let replay = min(count, told)
        return replay == 0 ? Place(position: now) : Place(position: wanted, replay: replay)
    }

    /// Events that the reader may see: a chain of one's own does not count the others. `nil` where part of them has expired.
    private func visibleCount(
        of topics: [Topic], to reader: Int64, on name: EventStream.Name, after: Int64, through: Int64
    ) async throws -> Int? {
        var (count, place) = (0, after)
        while true {
            let page = try await log.page(of: topics, after: place, through: through, limit: limits.pageEvents)
            guard let page else { return nil }
            count += try await verdicts(on: page, for: reader, on: name).count { $0.isWhole(for: reader) }
            guard let last = page.last, page.count == limits.pageEvents else { return count }
            place = last.seq
        }
    }

    /// What the reader gets of each of `events` on that chain: on a home, nothing of what that home does not show.
    private func verdicts(
        on events: [LoggedEvent], for reader: Int64, on name: EventStream.Name
    ) async throws -> [Verdict] {
        let offers = events.map { Offered($0, to: [reader]) }
        let verdicts = try await audience.verdicts(on: offers)
        guard name == .home else { return verdicts }
        return zip(verdicts, try await homes.notAtHome(offers)).map { $1.isEmpty ? $0 : Verdict(hidden: [reader]) }
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
            let verdicts = try await verdicts(on: events ?? [], for: reader, on: name)
            guard began == history else { return answer(.reset(.epoch, planned)) }
            guard let events else { return answer(.reset(.expired, now)) }
            answer(content(events, verdicts, of: reader, on: name, through: now.seq))
        } catch {
            logger.debug("A page of the log could not be read", metadata: ["error": "\(error)"])
            answer(.failed)
        }
    }

    /// As much of `events` as one page may weigh, at least one.
    private func content(
        _ events: [LoggedEvent], _ verdicts: [Verdict], of reader: Int64, on name: EventStream.Name, through: Int64
    ) -> EventStream.Session.Page.Content {
        var parcels: [EventStream.Parcel] = []
        var bytes = 0
        for (event, verdict) in zip(events, verdicts) {
            var wrapper = EventStream.Wrapper(event, verdict, cursor: cursor(event.seq))
            guard let parcel = wrapper.parcel(for: reader, on: name) else { continue }
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
