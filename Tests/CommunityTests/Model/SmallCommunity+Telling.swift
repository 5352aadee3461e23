import Community

extension SmallCommunity {
    /// What waits for the queue.
    enum Telling: Sendable {
        case asked(request: Int)
        case agreed(request: Int)
        case written(post: Int)
        case reacted(post: Int, reader: Int)
        case unlock(reader: Int, work: Int, from: Int)
        /// Another setting of the gate may have opened something.
        case unlockLibrary(reader: Int, was: Setting)
    }

    /// What happened, by which readers are known to have been told of it.
    enum Cause: Hashable, Sendable, Comparable {
        case request(Int)
        case post(Int)

        var number: Int {
            switch self {
            case .request(let number), .post(let number): number
            }
        }

        static func < (left: Cause, right: Cause) -> Bool { left.number < right.number }
    }

    /// A notification.
    struct Notice: Sendable {
        let reader: Int
        let kind: Notifications.Kind
        /// What it is grouped by: a post, a thread, a work or nothing.
        let subject: Int
        var at: Int
        /// Who did it last, with what, and when.
        var actors: [Int: (cause: Cause, at: Int)] = [:]
        var isRead = false
    }

    /// Does all that waits, one thing after the other; followers of a thread are told last, once of all.
    mutating func tellAll() {
        let waiting = tellings
        tellings = []
        var gathering: [(thread: Int, from: Int)] = []
        for telling in waiting {
            switch telling {
            case .asked(let request):
                let it = requests[request]
                put(.friendRequested, 0, .request(request), by: it.sender, to: [it.recipient])
            case .agreed(let request):
                let it = requests[request]
                put(.friendAccepted, 0, .request(request), by: it.recipient, to: [it.sender])
            case .written(let post):
                let it = posts[post]
                guard it.stands, !threads[it.thread].isHidden else { continue }
                tell(of: post)
                guard it.number > 1, !gathering.contains(where: { $0.thread == it.thread }) else { continue }
                gathering.append((it.thread, it.number))
            case .reacted(let post, let reader):
                guard posts[post].reactions.values.contains(where: { $0.contains(reader) }) else { continue }
                put(.postReaction, post, .post(post), by: reader, to: [posts[post].author])
            case .unlock(let reader, let work, let from):
                tellUnlocked(work, to: reader, from: from)
            case .unlockLibrary(let reader, let was):
                guard setting(of: reader).opensMore(than: was) else { continue }
                for work in works where entries[Tie(reader, work)] != nil {
                    tellUnlocked(work, to: reader, from: gate(of: reader, in: work, under: was))
                }
            }
        }
        for (thread, from) in gathering { gather(thread, from: from) }
    }

    /// Those whom a post answers, mentions or quotes, each once, as the first that fits.
    private func direct(_ post: Int) -> [(kind: Notifications.Kind, subject: Int, reader: Int)] {
        let it = posts[post]
        var known: Set<Int> = [it.author]
        var found: [(kind: Notifications.Kind, subject: Int, reader: Int)] = []
        func add(_ kind: Notifications.Kind, _ subject: Int, _ reader: Int?) {
            guard let reader, known.insert(reader).inserted else { return }
            found.append((kind, subject, reader))
        }
        if it.number > 1 {
            let answered = it.parent ?? threads[it.thread].posts[0]
            if posts[answered].stands { add(.postReply, answered, posts[answered].author) }
        }
        // Another text than the first names nobody.
        if it.text == 1 { add(.postMention, it.thread, it.mentioned) }
        if let quoted = it.quoted, posts[quoted].stands { add(.postQuote, quoted, posts[quoted].author) }
        return found
    }

    private mutating func tell(of post: Int) {
        let it = posts[post]
        let direct = direct(post)
        for (kind, subject, reader) in direct { put(kind, subject, .post(post), by: it.author, to: [reader]) }
        guard it.number == 1 else { return }
        let work = threads[it.thread].work
        let known = Set(direct.map(\.reader) + [it.author])
        let followers = readers.filter { boards[Tie($0, work)] == .followed && !known.contains($0) }
        put(.boardThread, work, .post(post), by: it.author, to: followers)
    }

    /// Tells those who follow a thread of the newest that each has written in it, from a number on.
    private mutating func gather(_ thread: Int, from: Int) {
        guard !threads[thread].isHidden else { return }
        var newest: [Int: Int] = [:]
        for post in threads[thread].posts where posts[post].number >= from && posts[post].stands {
            newest[posts[post].author] = post
        }
        let said = newest.values.sorted()
        for reader in readers {
            guard let marker = markers[Tie(reader, thread)], marker.watching == .followed else { continue }
            let new = said.filter { post in
                let it = posts[post]
                return it.author != reader && it.number > marker.read && meets(reader, it.author)
                    && !hasMuted(reader, it.author) && mayBeTold(reader, of: post)
                    && !direct(post).contains { $0.reader == reader }
                    && !isKnown(.post(post), of: .threadReply, thread, by: it.author, to: reader)
            }
            guard let last = new.last else { continue }
            let place = place(of: .threadReply, thread, for: reader)
            for post in new { notices[place].actors[posts[post].author] = (.post(post), posts[post].at) }
            tellNew(place, by: posts[last].author)
        }
    }

    /// Whether the reader was told of this or something later by the same actor.
    private func isKnown(
        _ cause: Cause, of kind: Notifications.Kind, _ subject: Int, by actor: Int, to reader: Int
    ) -> Bool {
        notices.contains {
            $0.reader == reader && $0.kind == kind && $0.subject == subject
                && ($0.actors[actor].map { $0.cause >= cause } ?? false)
        }
    }

    /// Where the reader's unread notification of it stands: a new one, where there is none.
    private mutating func place(of kind: Notifications.Kind, _ subject: Int, for reader: Int) -> Int {
        let unread = notices.firstIndex {
            $0.reader == reader && $0.kind == kind && $0.subject == subject && !$0.isRead
        }
        guard let unread else {
            notices.append(Notice(reader: reader, kind: kind, subject: subject, at: now))
            return notices.count - 1
        }
        notices[unread].at = now
        return unread
    }

    private mutating func tellNew(_ place: Int, by actor: Int) {
        let it = notices[place]
        let unread = notices.count { $0.reader == it.reader && !$0.isRead }
        tell(
            "notification.new", on: ["inbox r\(it.reader)"], by: actor, .inbox,
            "\(it.kind.rawValue) \(it.actors.count) \(unread)")
    }

    private mutating func put(
        _ kind: Notifications.Kind, _ subject: Int, _ cause: Cause, by actor: Int, to readers: [Int]
    ) {
        for reader in readers where reader != actor && meets(reader, actor) && !hasMuted(reader, actor) {
            if case .post(let post) = cause, !mayBeTold(reader, of: post) { continue }
            if isKnown(cause, of: kind, subject, by: actor, to: reader) { continue }
            let place = place(of: kind, subject, for: reader)
            notices[place].actors[actor] = (cause, now)
            tellNew(place, by: actor)
        }
    }

    private func mayBeTold(_ reader: Int, of post: Int) -> Bool {
        let thread = posts[post].thread
        return knows(reader, of: post) && markers[Tie(reader, thread)]?.watching != .muted
            && boards[Tie(reader, threads[thread].work)] != .muted
    }

    private mutating func tellUnlocked(_ work: Int, to reader: Int, from: Int) {
        let level = gate(of: reader, in: work)
        let opened = posts.indices.reversed().filter { post in
            let it = posts[post]
            return threads[it.thread].work == work && it.author != reader && it.stands && it.scope > from
                && it.scope <= level && sees(reader, thread: it.thread) && hears(reader, it.author)
                && !reveals.contains(Revealed(reader: reader, what: .post(post)))
                && !reveals.contains(Revealed(reader: reader, what: .thread(it.thread)))
        }
        guard !opened.isEmpty else { return }
        tell(
            "posts.unlocked", on: ["inbox r\(reader)"], .inbox,
            "w\(work) \(opened.count) \(opened.map { "p\($0)" }.joined(separator: " "))")
    }
}
