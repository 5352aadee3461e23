import Community
import EventLog
import Postgres

@testable import Web

/// What `Hub` and the tail do around the board of one server, `place`, with every pause in it made a step.
extension StreamModel {
    // MARK: The tail

    /// A wake-up: any of those on their way may come first, and some never do. The second server lags behind the first.
    mutating func hint(_ place: Int) {
        let count = servers[place].hints.count
        guard count > 0 else { return }
        let choice = number(0..<count)
        let seq = servers[place].hints.remove(at: choice)
        if number(0..<4) > 2 * place { tail(place, told: seq) }
    }

    mutating func poll(_ place: Int) {
        if sabotage != .neverPoll { tail(place) }
    }

    /// `told`: where a hint says that the log is, which is not looked at.
    private mutating func tail(_ place: Int, told: Int64? = nil) {
        let planned = servers[place].planned
        guard planned.epoch == epoch, planned.seq >= oldest - 1 else { return begin(place) }
        var start = Int(planned.seq)
        if sabotage == .trustHints, let told { start = max(start, Int(told) - 1) }
        let end = min(log.count, start + 1 + number(0..<5))
        guard start < end else { return }
        var parcels: [UInt64: [EventStream.Parcel]] = [:]
        for event in log[start..<end] {
            servers[place].planned = StreamCursor(epoch: epoch, seq: event.logged.seq)
            if let control = EventStream.ControlEvent(event.logged) {
                // What was planned before it is on its way first.
                offer(parcels, place)
                parcels = [:]
                obey(control, place)
                continue
            }
            var wrapper = wrapper(event, place)
            for recipient in servers[place].board.recipients(of: event.logged) {
                guard let parcel = wrapper.parcel(for: recipient.reader, on: recipient.name) else { continue }
                parcels[recipient.socket, default: []].append(parcel)
            }
        }
        guard !parcels.isEmpty else { return }
        offer(parcels, place)
        if sabotage == .repeatBatch, number(0..<40) == 0 {
            servers[place].planned = StreamCursor(epoch: epoch, seq: Int64(max(0, end - 1)))
        }
        let count = servers[place].hops.count
        if sabotage == .swapBatches, count > 1, number(0..<10) == 0 {
            servers[place].hops.swapAt(count - 1, count - 2)
        }
    }

    private mutating func offer(_ parcels: [UInt64: [EventStream.Parcel]], _ place: Int) {
        guard !parcels.isEmpty else { return }
        servers[place].hops.append(.offer(parcels.keys.sorted().map { ($0, parcels[$0] ?? []) }))
    }

    /// The log is not the one that was followed, or part of it has expired unread.
    private mutating func begin(_ place: Int) {
        let position = StreamCursor(epoch: epoch, seq: head)
        servers[place].history += 1
        servers[place].planned = position
        let sockets = connections.filter { $0.value.server == place }.keys.sorted()
        servers[place].hops.append(.reset(sockets, position))
        guard sabotage != .keepTies else { return }
        // What ended or changed in the part that is skipped is unknown: those come back and are asked again.
        servers[place].board.staleHomes()
        servers[place].hops.append(.leave(servers[place].board.socketsOnReadersTopics.sorted()))
    }

    private mutating func obey(_ control: EventStream.ControlEvent, _ place: Int) {
        switch control {
        case .topicClosed(let name, let readers):
            guard sabotage != .ignoreClosing else { return }
            for (socket, token) in servers[place].board.followers(of: name, among: readers) {
                close(socket, name, token, place)
            }
        case .tiesChanged(let readers):
            for reader in readers where servers[place].board.staleHome(reader) { loadHome(reader, place) }
        case .stateChanged(let name):
            guard sabotage != .ignoreStates else { return }
            for (socket, _) in servers[place].board.followers(of: name, among: nil) {
                servers[place].hops.append(.told(socket, name, version: version))
            }
        case .sessionEnded, .accountEnded, .homesChanged, .rolesChanged, .unreadable, .other:
            wrongs.append("\(control) was never said")
        }
    }

    private mutating func loadHome(_ reader: Int64, _ place: Int) {
        guard let version = servers[place].board.beginHome(reader) else { return }
        _ = servers[place].board.loaded(reader, version: version, topics: homeTopics)
    }

    private mutating func close(_ socket: UInt64, _ name: EventStream.Name, _ token: UInt64, _ place: Int) {
        guard servers[place].board.isCurrent(socket, name, token: token) else { return }
        servers[place].board.unsubscribe(socket, name)
        servers[place].hops.append(.closed(socket, name, token: token))
    }

    private func wrapper(_ event: Event, _ place: Int) -> EventStream.Wrapper {
        let cursor = StreamCursor(epoch: servers[place].planned.epoch, seq: event.logged.seq).text(signedBy: secret)
        var verdict = event.verdict
        if sabotage == .showGated { verdict = Verdict(hidden: verdict.hidden) }
        return EventStream.Wrapper(event.logged, verdict, cursor: cursor)
    }

    // MARK: What connections ask for

    mutating func command(_ place: Int) {
        guard !servers[place].commands.isEmpty else { return }
        let (socket, effect) = servers[place].commands.removeFirst()
        switch effect {
        case .detach: servers[place].board.detach(socket)
        case .socket(.unsubscribe(let name)): servers[place].board.unsubscribe(socket, name)
        case .socket(.subscribe(let token, let name, _)):
            servers[place].board.subscribe(socket, name, token: token)
            servers[place].jobs.append(Job(socket: socket, effect: effect))
        case .source(.open(let names, _)):
            for name in names {
                servers[place].board.subscribe(socket, name, token: EventStream.SourceSession.token)
            }
            servers[place].jobs.append(Job(socket: socket, effect: effect))
        case .socket(.page), .source(.page): servers[place].jobs.append(Job(socket: socket, effect: effect))
        case .socket(.close), .socket(.abandon), .source(.close), .source(.state):
            wrongs.append("\(effect) for nothing")
        }
    }

    /// One step of a job that chance picks: first it samples, later it reads and answers.
    mutating func job(_ place: Int) {
        let count = servers[place].jobs.count
        guard count > 0 else { return }
        let choice = number(0..<count)
        var job = servers[place].jobs[choice]
        if job.sample == nil {
            guard sample(&job, place) else {
                servers[place].jobs.remove(at: choice)
                return
            }
            servers[place].jobs[choice] = job
        } else {
            servers[place].jobs.remove(at: choice)
            if !answer(job, place) { servers[place].jobs.append(Job(socket: job.socket, effect: job.effect)) }
        }
    }

    /// False where the job is over. Whether the reader may follow is one step, beginning is another.
    private mutating func sample(_ job: inout Job, _ place: Int) -> Bool {
        let socket = job.socket
        guard let reader = servers[place].board.reader(of: socket) else { return false }
        switch job.effect {
        case .socket(.subscribe(let token, let name, _)):
            guard servers[place].board.isCurrent(socket, name, token: token) else { return false }
            if name.isState {
                servers[place].board.turnOn(socket, name)
                let opening = EventStream.Session.Opening(
                    token: token, name: name, position: servers[place].planned, replay: 0, reset: nil)
                servers[place].hops.append(.opened(socket, opening))
                // Read now, and told later.
                job.version = version
                break
            }
            if name == .home { loadHome(reader, place) }
            guard let mayFollow = job.mayFollow else {
                job.mayFollow = name != .conversation(9) || members.contains(reader)
                return true
            }
            guard mayFollow else {
                close(socket, name, token, place)
                return false
            }
            if sabotage != .registerAfterReading { servers[place].board.turnOn(socket, name) }
        case .source(.open(let names, _)):
            guard let mayFollow = job.mayFollow else {
                job.mayFollow = members.contains(reader)
                return true
            }
            let token = EventStream.SourceSession.token
            if !mayFollow { close(socket, .conversation(9), token, place) }
            loadHome(reader, place)
            for name in names where servers[place].board.isCurrent(socket, name, token: token) {
                servers[place].board.turnOn(socket, name)
            }
        case .socket(.page(let token, let name, _)):
            guard servers[place].board.isCurrent(socket, name, token: token) else {
                servers[place].hops.append(.page(socket, .init(token: token, name: name, content: .failed)))
                return false
            }
        default: break
        }
        job.sample = (servers[place].history, servers[place].planned)
        return true
    }

    /// False where the job must be done again.
    private mutating func answer(_ job: Job, _ place: Int) -> Bool {
        guard let (began, now) = job.sample else { return true }
        let (socket, isVoid) = (job.socket, began != servers[place].history)
        switch job.effect {
        case .socket(.subscribe(let token, let name, let from)):
            guard servers[place].board.isCurrent(socket, name, token: token) else { return true }
            guard !name.isState else {
                if job.version > 0 { servers[place].hops.append(.told(socket, name, version: job.version)) }
                return true
            }
            guard !isVoid else { return false }
            if sabotage == .registerAfterReading { servers[place].board.turnOn(socket, name) }
            let reader = servers[place].board.reader(of: socket) ?? 0
            let topics = servers[place].board.topics(of: name, for: socket)
            let (position, replay, reset) = start(from, now, topics) { event in
                parcel(event, name, reader, place) != nil
            }
            if position.seq > now.seq { done.ahead += 1 }
            servers[place].hops.append(
                .opened(socket, .init(token: token, name: name, position: position, replay: replay, reset: reset)))
        case .source(.open(_, let from)):
            guard !isVoid else { return false }
            let (position, replay, reset) = start(from, now, sourceTopics(socket, place)) { event in
                bundle(event, socket, place) != nil
            }
            if position.seq > now.seq { done.ahead += 1 }
            servers[place].hops.append(.begun(socket, .init(position: position, replay: replay, reset: reset)))
        case .socket(.page(let token, let name, let after)):
            let content: EventStream.Session.Page.Content
            if isVoid {
                content = .reset(.epoch, servers[place].planned)
            } else if after < oldest - 1 {
                content = .reset(.expired, now)
            } else {
                let reader = servers[place].board.reader(of: socket) ?? 0
                let page = page(servers[place].board.topics(of: name, for: socket), after: after, now)
                let parcels = page.events.compactMap { parcel($0, name, reader, place) }
                content = .parcels(parcels, through: page.through, isLast: page.isLast)
            }
            servers[place].hops.append(.page(socket, .init(token: token, name: name, content: content)))
        case .source(.page(let after)):
            let content: EventStream.SourceSession.Page
            if isVoid {
                content = .reset(.epoch, servers[place].planned)
            } else if after < oldest - 1 {
                content = .reset(.expired, now)
            } else {
                let page = page(sourceTopics(socket, place), after: after, now)
                let bundles = page.events.compactMap { bundle($0, socket, place) }
                content = .bundles(bundles, through: page.through, isLast: page.isLast)
            }
            servers[place].hops.append(.bundles(socket, content))
        default: break
        }
        return true
    }

    // MARK: The log

    private func parcel(_ event: Event, _ name: EventStream.Name, _ reader: Int64, _ place: Int) -> EventStream.Parcel?
    {
        var wrapper = wrapper(event, place)
        return wrapper.parcel(for: reader, on: name)
    }

    private func bundle(_ event: Event, _ socket: UInt64, _ place: Int) -> EventStream.SourceSession.Bundle? {
        let board = servers[place].board
        guard let reader = board.reader(of: socket) else { return nil }
        var wrapper = wrapper(event, place)
        return .init(board.names(of: socket, on: event.logged).compactMap { wrapper.parcel(for: reader, on: $0) })
    }

    private func sourceTopics(_ socket: UInt64, _ place: Int) -> [Topic] {
        sabotage == .pagesOfOneTopic ? [.book(1)] : servers[place].board.topics(of: socket)
    }

    /// Where what is on since `now`, and is wanted from `from`, begins; how much of the log comes first; and whether it begins anew.
    private func start(
        _ from: EventStream.Session.Start, _ now: StreamCursor, _ topics: [Topic], isTold: (Event) -> Bool
    ) -> (StreamCursor, Int, EventStream.ResetReason?) {
        guard case .cursor(let wanted) = from else { return (now, 0, nil) }
        guard wanted.epoch == now.epoch else { return (now, 0, .epoch) }
        guard wanted.seq <= now.seq else {
            // The other server was ahead of this one.
            if sabotage == .ignoreAhead { return (now, 0, nil) }
            guard wanted.epoch == epoch, wanted.seq <= head else { return (now, 0, .ahead) }
            return (wanted, 0, nil)
        }
        guard wanted.seq >= oldest - 1 else { return (now, 0, .expired) }
        let events = events(topics, after: wanted.seq, through: now.seq)
        guard events.count <= limits.replay else { return (now, 0, .tooFar) }
        let told = events.count { isTold($0) }
        return told == 0 ? (now, 0, nil) : (wanted, told, nil)
    }

    private func page(
        _ topics: [Topic], after: Int64, _ now: StreamCursor
    ) -> (events: ArraySlice<Event>, through: Int64, isLast: Bool) {
        let looked = events(topics, after: after, through: now.seq).prefix(limits.pageEvents)
        guard let last = looked.last, looked.count == limits.pageEvents else { return (looked, now.seq, true) }
        return (looked, last.logged.seq, false)
    }

    private func events(_ topics: [Topic], after: Int64, through: Int64) -> [Event] {
        guard after < through else { return [] }
        let topics = Set(topics)
        return log[Int(after)..<Int(through)].filter { !topics.isDisjoint(with: $0.logged.places.map(\.topic)) }
    }
}
