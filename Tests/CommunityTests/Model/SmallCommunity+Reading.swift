import Community

// Shelves, positions and the gate.
extension SmallCommunity {
    mutating func shelve(_ work: Int, as status: Library.Status, by reader: Int) {
        let from = gate(of: reader, in: work)
        guard move(work, to: status, turnsPages: true, by: reader) else { return }
        unlock(work, for: reader, from: from)
    }

    mutating func unshelve(_ work: Int, by reader: Int) {
        guard let old = entries.removeValue(forKey: Tie(reader, work)) else { return }
        for place in deeds.indices where deeds[place].entry == old.number { deeds[place].isUndone = true }
        let level = shelfLevel(of: reader)
        tell("shelf.removed", on: shelfTopics(reader, work), by: reader, .level(level), "w\(work)")
    }

    private func shelfTopics(_ reader: Int, _ work: Int) -> [String] {
        ["reader r\(reader)"] + (shelfLevel(of: reader) >= .members ? ["book w\(work)"] : [])
    }

    /// Another reading begins, goes on, ends or never was; the place left off follows. False where all is as it was.
    private mutating func move(_ work: Int, to status: Library.Status, turnsPages: Bool, by reader: Int) -> Bool {
        let tie = Tie(reader, work)
        let old = entries[tie]
        var entry = old ?? Entry(number: entriesMade, status: status)
        let before = entry.readings
        let turn = entry.read(as: status, from: old?.status)
        guard old == nil || old?.status != status || entry.readings != before else { return false }
        if old == nil { entriesMade += 1 }
        if turnsPages, old != nil, let turn, entry.position != nil,
            entry.position != turn || entry.reached != nil
        {
            entry.position = turn
            entry.reached = nil
            entry.device = nil
        }
        entry.status = status
        entries[tie] = entry
        if old?.status != status {
            // What was never finished was not read.
            let isUnread = old?.status == .read && entry.readings.count <= before.count && entry.readings != before
            for place in deeds.indices where deeds[place].entry == entry.number {
                if deeds[place].status == status || isUnread && deeds[place].status == .read {
                    deeds[place].isUndone = true
                }
            }
            deeds.append(Deed(reader: reader, work: work, status: status, entry: entry.number))
        }
        tell(
            "shelf.moved", on: shelfTopics(reader, work), by: reader, .entry(entry.number, of: tie),
            "w\(work) \(old?.status.rawValue ?? "nowhere") \(status.rawValue) \(entry.timesRead)")
        return true
    }

    /// A device says how far the reader is: below the end they are reading, at the end they have read.
    mutating func log(
        _ position: Int, in work: Int, from device: String, isMeant: Bool, by reader: Int
    ) throws(Refusal) {
        let tie = Tie(reader, work)
        let old = entries[tie]
        if !isMeant, let there = old?.position, position < there, old?.device != device {
            throw Refusal(code: "behind")
        }
        let from = gate(of: reader, in: work)
        _ = move(work, to: position == Gate.end ? .read : .reading, turnsPages: false, by: reader)
        if old?.position != position || old?.device != device || isMeant && old?.reached != nil {
            let furthest = old?.status == .read || isMeant ? 0 : old?.furthest ?? 0
            entries[tie]?.position = position
            entries[tie]?.reached = position < furthest ? furthest : nil
            entries[tie]?.device = device
        }
        unlock(work, for: reader, from: from)
    }

    // MARK: The gate

    mutating func choose(isOff: Bool?, gatesRereads: Bool?, by reader: Int) {
        let old = setting(of: reader)
        let new = Setting(isOff: isOff ?? old.isOff, gatesRereads: gatesRereads ?? old.gatesRereads)
        if new.isOff { isGateOff.insert(reader) } else { isGateOff.remove(reader) }
        if new.gatesRereads { self.gatesRereads.insert(reader) } else { self.gatesRereads.remove(reader) }
        // Of the books in the library alone, and but once in the time that a community here takes.
        guard new.opensMore(than: old), lookedThrough.insert(reader).inserted else { return }
        tellings.append(.unlockLibrary(reader: reader, was: old))
    }

    mutating func reveal(_ subject: Revealed.Subject, by reader: Int) throws(Refusal) {
        guard isThere(subject, for: reader) else { throw Self.notFound }
        guard case .work(let work) = subject else {
            reveals.insert(Revealed(reader: reader, what: subject))
            return
        }
        let from = gate(of: reader, in: work)
        reveals.insert(Revealed(reader: reader, what: subject))
        unlock(work, for: reader, from: from)
    }

    mutating func unreveal(_ subject: Revealed.Subject, by reader: Int) throws(Refusal) {
        let isUndone = reveals.remove(Revealed(reader: reader, what: subject)) != nil
        guard isUndone || isThere(subject, for: reader) else { throw Self.notFound }
    }

    private func isThere(_ subject: Revealed.Subject, for reader: Int) -> Bool {
        switch subject {
        case .work: true
        case .thread(let thread): sees(reader, thread: thread)
        case .post(let post):
            posts[post].stands && sees(reader, thread: posts[post].thread) && hears(reader, posts[post].author)
        }
    }

    /// The reader hears of what opened, once for all the steps since it was last told; nothing where nothing stands between.
    private mutating func unlock(_ work: Int, for reader: Int, from: Int) {
        let level = gate(of: reader, in: work)
        guard level > from, scopes(on: work).contains(where: { $0 > from && $0 <= level }) else { return }
        for case .unlock(reader, work, _) in tellings { return }
        tellings.append(.unlock(reader: reader, work: work, from: from))
    }
}

extension SmallCommunity.Entry {
    /// What a move does to the readings, and where the place left off goes with it; `nil`: it stays.
    fileprivate mutating func read(as status: Library.Status, from old: Library.Status?) -> Int? {
        let isOpen = readings.last == .open
        switch status {
        case .want:
            // Begun and put back, or read by mistake: it never was.
            guard isOpen || old == .read && readings.last == .finished else { return nil }
            readings.removeLast()
            return 0
        case .reading, .paused:
            guard !isOpen else { return nil }
            readings.append(.open)
            return 0
        case .read:
            if isOpen || old == .read && !readings.isEmpty { readings.removeLast() }
            readings.append(.finished)
            return old == .read ? nil : Gate.end
        case .stopped:
            if isOpen || old == .read || old == .stopped, !readings.isEmpty { readings.removeLast() }
            readings.append(.stopped)
            return nil
        }
    }
}
