import Community
import EventLog
import Postgres

@testable import Web

/// What `Hub` does around the board, with every pause in it made a step.
extension StreamModel {
    mutating func tail() {
        let end = min(log.count, Int(planned.seq) + 1 + number(0..<5))
        guard Int(planned.seq) < end else { return }
        var parcels: [UInt64: [EventStream.Parcel]] = [:]
        for event in log[Int(planned.seq)..<end] {
            planned = StreamCursor(epoch: epoch, seq: event.logged.seq)
            if event.logged.places.contains(where: { $0.topic == .control }) {
                // What was planned before it is on its way first.
                if !parcels.isEmpty { hops.append(.offer(parcels.map { ($0.key, $0.value) })) }
                parcels = [:]
                obey(event.logged)
                continue
            }
            var wrapper = wrapper(event)
            for recipient in board.recipients(of: event.logged) {
                guard let parcel = wrapper.parcel(for: recipient.reader, on: recipient.name) else { continue }
                parcels[recipient.socket, default: []].append(parcel)
            }
        }
        guard !parcels.isEmpty else { return }
        hops.append(.offer(parcels.map { ($0.key, $0.value) }))
        if sabotage == .repeatBatch, number(0..<40) == 0 {
            planned = StreamCursor(epoch: epoch, seq: max(0, planned.seq - 1))
        }
        if sabotage == .swapBatches, hops.count > 1, number(0..<10) == 0 { hops.swapAt(hops.count - 1, hops.count - 2) }
    }

    mutating func obey(_ event: LoggedEvent) {
        if event.data.bytes.starts(with: Array(#"{"topic""#.utf8)) {
            guard sabotage != .ignoreClosing, case .topicClosed(let name, let readers) = closing(event) else { return }
            for (socket, token) in board.followers(of: name, among: readers) { close(socket, name, token) }
            return
        }
        for client in clients where board.staleHome(client.reader) {
            if let version = board.beginHome(client.reader) {
                _ = board.loaded(client.reader, version: version, topics: homeTopics)
            }
        }
    }

    /// The event as one that the servers send each other.
    func closing(_ event: LoggedEvent) -> EventStream.ControlEvent? {
        EventStream.ControlEvent(
            LoggedEvent(
                seq: event.seq, id: event.id, kind: "topic.closed", version: 1, places: event.places, owner: nil,
                subjectKind: nil, subject: nil, at: event.at, data: event.data))
    }

    mutating func close(_ socket: UInt64, _ name: EventStream.Name, _ token: UInt64) {
        board.unsubscribe(socket, name)
        hops.append(.closed(socket, name, token: token))
    }

    func wrapper(_ event: Event) -> EventStream.Wrapper {
        let cursor = StreamCursor(epoch: epoch, seq: event.logged.seq).text(signedBy: secret)
        var verdict = event.verdict
        if sabotage == .showGated { verdict = Verdict(hidden: verdict.hidden) }
        return EventStream.Wrapper(event.logged, verdict, cursor: cursor)
    }

    func parcel(_ event: Event, _ name: EventStream.Name, _ reader: Int64) -> EventStream.Parcel? {
        var wrapper = wrapper(event)
        return wrapper.parcel(for: reader, on: name)
    }

    mutating func command() {
        guard !commands.isEmpty else { return }
        let (socket, effect) = commands.removeFirst()
        switch effect {
        case nil: board.detach(socket)
        case .subscribe(let token, let name, _):
            board.subscribe(socket, name, token: token)
            jobs.append(Job(socket: socket, effect: effect ?? .abandon))
        case .unsubscribe(let name): board.unsubscribe(socket, name)
        case .page: jobs.append(Job(socket: socket, effect: effect ?? .abandon))
        case .close, .abandon: wrongs.append("the server closed a connection for nothing")
        }
    }

    /// One step of a job that chance picks: first it samples, later it reads and answers.
    mutating func job() {
        guard !jobs.isEmpty else { return }
        let index = number(0..<jobs.count)
        var job = jobs[index]
        if job.sample == nil {
            guard sample(&job) else {
                jobs.remove(at: index)
                return
            }
            jobs[index] = job
        } else {
            jobs.remove(at: index)
            if !answer(job) { jobs.append(Job(socket: job.socket, effect: job.effect)) }
        }
    }

    /// False where the job is over. Whether the reader may follow is one step, beginning is another.
    mutating func sample(_ job: inout Job) -> Bool {
        switch job.effect {
        case .subscribe(let token, let name, _):
            guard let reader = board.reader(of: job.socket), board.isCurrent(job.socket, name, token: token) else {
                return false
            }
            if name == .home, let version = board.beginHome(reader) {
                _ = board.loaded(reader, version: version, topics: homeTopics)
            }
            guard let mayFollow = job.mayFollow else {
                job.mayFollow = name != .conversation(9) || members.contains(reader)
                return true
            }
            guard mayFollow else {
                close(job.socket, name, token)
                return false
            }
            if sabotage != .registerAfterReading { board.turnOn(job.socket, name) }
            job.sample = (history, planned)
        case .page(let token, let name, _):
            guard board.isCurrent(job.socket, name, token: token) else {
                hops.append(.page(job.socket, .init(token: token, name: name, content: .failed)))
                return false
            }
            job.sample = (history, planned)
        default: return false
        }
        return true
    }

    /// False where the job must be done again.
    mutating func answer(_ job: Job) -> Bool {
        guard let (began, now) = job.sample else { return true }
        switch job.effect {
        case .subscribe(let token, let name, let from):
            guard board.isCurrent(job.socket, name, token: token) else { return true }
            guard began == history else { return false }
            if sabotage == .registerAfterReading { board.turnOn(job.socket, name) }
            let opening = opening(job.socket, token, name, from, now)
            hops.append(.opened(job.socket, opening))
        case .page(let token, let name, let after):
            let content: EventStream.Session.Page.Content
            if began != history {
                content = .reset(.epoch, planned)
            } else if after < oldest - 1 {
                content = .reset(.expired, now)
            } else {
                let all = events(name, job.socket, after: after, through: now.seq)
                let reader = board.reader(of: job.socket) ?? 0
                let looked = all.prefix(limits.pageEvents)
                let page = looked.compactMap { parcel($0, name, reader) }
                let isLast = looked.count < limits.pageEvents
                let through = isLast ? now.seq : looked.last?.logged.seq ?? now.seq
                content = .parcels(page, through: through, isLast: isLast)
            }
            hops.append(.page(job.socket, .init(token: token, name: name, content: content)))
        default: break
        }
        return true
    }

    func opening(
        _ socket: UInt64, _ token: UInt64, _ name: EventStream.Name, _ from: EventStream.Session.Start,
        _ now: StreamCursor
    ) -> EventStream.Session.Opening {
        func opening(_ position: StreamCursor, _ replay: Int, _ reset: EventStream.ResetReason?)
            -> EventStream.Session.Opening
        {
            .init(token: token, name: name, position: position, replay: replay, reset: reset)
        }
        guard case .cursor(let wanted) = from else { return opening(now, 0, nil) }
        guard wanted.epoch == now.epoch else { return opening(now, 0, .epoch) }
        guard wanted.seq <= now.seq else { return opening(now, 0, .ahead) }
        guard wanted.seq >= oldest - 1 else { return opening(now, 0, .expired) }
        let count = events(name, socket, after: wanted.seq, through: now.seq).count
        guard count <= limits.replay else { return opening(now, 0, .tooFar) }
        let reader = board.reader(of: socket) ?? 0
        let told = events(name, socket, after: wanted.seq, through: now.seq).count { parcel($0, name, reader) != nil }
        return told == 0 ? opening(now, 0, nil) : opening(wanted, told, nil)
    }

    func events(_ name: EventStream.Name, _ socket: UInt64, after: Int64, through: Int64) -> [Event] {
        let topics = Set(board.topics(of: name, for: socket))
        guard after < through else { return [] }
        return log[Int(after)..<Int(through)].filter { !topics.isDisjoint(with: $0.logged.places.map(\.topic)) }
    }
}
