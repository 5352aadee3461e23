import Community

/// What everybody is shown, as lines of text: by the name of a page what stands on it.
typealias Pages = [String: String]

// What the rules say that a viewer is shown; `ModelRun+Shown.swift` reads the same from a server.
extension SmallCommunity {
    /// `other`: the reader whose friends are asked for. `sorts`: how each thread is read.
    func pages(for viewer: Int, _ other: Int, _ sorts: [Boards.PostSort]) -> Pages {
        var pages: Pages = [:]
        for work in works {
            pages["look w\(work)"] = look(at: work, for: viewer)
            pages["board w\(work)"] = board(of: work, for: viewer)
            let seen = threads.indices.reversed().filter { threads[$0].work == work && sees(viewer, thread: $0) }
            pages["threads w\(work)"] = seen.map { line(ofThread: $0, for: viewer) }.joined(separator: "\n")
        }
        for thread in threads.indices {
            pages["posts t\(thread)"] = posts(in: thread, for: viewer, sorts[thread])
        }
        pages["search"] = posts.indices.reversed()
            .filter { knows(viewer, of: $0) && opens($0, to: viewer) }.map { "p\($0)" }.joined(separator: " ")
        guard viewer != Self.anonymous else { return pages }
        pages.merge(circle(of: viewer, other)) { one, _ in one }
        pages.merge(correspondence(of: viewer)) { one, _ in one }
        pages["notifications"] = notifications(of: viewer)
        pages["feed"] = feed(of: viewer)
        let followed = threads.indices.filter {
            markers[Tie(viewer, $0)]?.watching == .followed && sees(viewer, thread: $0)
        }
        // Last written in first, whatever became of it.
        pages["followed"] = followed.sorted { (threads[$0].posts.last ?? 0) > (threads[$1].posts.last ?? 0) }
            .map { line(ofThread: $0, for: viewer) }.joined(separator: "\n")
        return pages
    }

    // MARK: Boards

    private func ahead(on work: Int, for viewer: Int) -> [Int] {
        scopes(on: work).filter { $0 > gate(of: viewer, in: work) }
    }

    private func look(at work: Int, for viewer: Int) -> String {
        let gate = gate(of: viewer, in: work)
        let why: Gate.Look.Reason =
            if isGateOff.contains(viewer) {
                .off
            } else if reveals.contains(
                Revealed(reader: viewer, what: .work(work)))
            { .revealed } else if gate == Gate.end { .finished } else {
                entries[Tie(viewer, work)]?.position == nil ? .nothing : .position
            }
        let ahead = ahead(on: work, for: viewer)
        return "\(gate) \(why.rawValue) \(ahead.count) ahead, next \(Self.text(ahead.min()))"
    }

    private func board(of work: Int, for viewer: Int) -> String {
        let watching = boards[Tie(viewer, work)]?.rawValue
        return "\(gate(of: viewer, in: work)) of \(scopes(on: work).count) posts \(ahead(on: work, for: viewer).count)"
            + " ahead \(Self.text(watching))"
    }

    private func line(ofThread thread: Int, for viewer: Int) -> String {
        let (it, opening) = (threads[thread], first(of: thread))
        guard opens(it.posts[0], to: viewer) else {
            return "gated t\(thread) discussion \(opening.scope)"
        }
        let author = opening.stands ? it.author : nil
        let marker = markers[Tie(viewer, thread)]
        let replies = it.posts.dropFirst().count { posts[$0].stands }
        let isMuted = author.map { hasMuted(viewer, $0) } ?? false
        return "t\(thread) by \(Self.text(author.map { "r\($0)" })) \(opening.stands ? "titled" : "untitled") scope "
            + "\(opening.scope), \(replies) replies, \(opening.reactions.values.reduce(0) { $0 + $1.count }) reactions, "
            + "\(it.posts.count) posts, unread \(Self.text(marker.map { it.posts.count - $0.read })), "
            + "\(Self.text(marker?.watching?.rawValue))\(isMuted ? ", muted" : "")"
    }

    private func posts(in thread: Int, for viewer: Int, _ sort: Boards.PostSort) -> String {
        guard sees(viewer, thread: thread) else { return "not_found" }
        let seen = threads[thread].posts.filter { !posts[$0].stands || hears(viewer, posts[$0].author) }
        let sorted =
            switch sort {
            case .oldest: seen
            case .newest: Array(seen.reversed())
            case .tree: seen.sorted { path(of: $0).lexicographicallyPrecedes(path(of: $1)) }
            case .reactions:
                seen.sorted { one, other in
                    let (left, right) = (reactions(to: one), reactions(to: other))
                    return left == right ? one > other : left > right
                }
            }
        return sorted.map { line(ofPost: $0, for: viewer) }.joined(separator: "\n")
    }

    private func reactions(to post: Int) -> Int { posts[post].reactions.values.reduce(0) { $0 + $1.count } }

    private func path(of post: Int) -> [Int] { (posts[post].parent.map(path) ?? []) + [post] }

    func line(ofPost post: Int, for viewer: Int) -> String {
        let it = posts[post]
        guard it.stands else { return "p\(post) #\(it.number) deleted" }
        guard opens(post, to: viewer) else { return placeholder(of: post) }
        let given = Reaction.allCases.compactMap { reaction -> String? in
            guard let readers = it.reactions[reaction], !readers.isEmpty else { return nil }
            return " \(reaction.rawValue) \(readers.count)\(readers.contains(viewer) ? " own" : "")"
        }
        return "p\(post) #\(it.number) in t\(it.thread) by r\(it.author) scope \(it.scope) says \(it.body) "
            + "answers \(Self.text(it.parent.map { "p\($0)" })) quotes \(Self.text(it.quoted.map { "p\($0)" })) "
            + "replies \(it.replies)\(given.joined())\(hasMuted(viewer, it.author) ? " muted" : "")"
    }

    static func text(_ value: (some CustomStringConvertible)?) -> String { value?.description ?? "-" }

    // MARK: Friends

    /// Newest first.
    private func friends(of reader: Int) -> [Int] {
        readers.filter { areFriends(reader, $0) }
            .sorted { (friends[Tie(reader, $0)] ?? 0) > (friends[Tie(reader, $1)] ?? 0) }
    }

    private func circle(of viewer: Int, _ other: Int) -> Pages {
        func named(_ readers: [Int]) -> String { readers.map { "r\($0)" }.joined(separator: " ") }
        func newest(_ ties: [Tie: Int]) -> [Int] {
            ties.filter { $0.key.one == viewer }.sorted { $0.value > $1.value }.map(\.key.other)
        }
        let (own, theirs) = (friends(of: viewer), friends(of: other))
        let open = requests.indices.reversed()
        return [
            "friends": named(own),
            "friends of r\(other)": sees(viewer, other, at: .friends)
                ? named(theirs.filter { meets(viewer, $0) }) : "not_found",
            "friends shared with r\(other)": meets(viewer, other) ? named(own.filter(theirs.contains)) : "not_found",
            "requests in": open.filter { requests[$0].recipient == viewer && requests[$0].state == .pending }
                .map { "q\($0) r\(requests[$0].sender)" }.joined(separator: " "),
            "requests out": open.filter {
                requests[$0].sender == viewer && (requests[$0].state == .pending || requests[$0].state == .declined)
            }.map { "q\($0) r\(requests[$0].recipient)" }.joined(separator: " "),
            "blocks": named(newest(blocks)),
            "mutes": named(newest(mutes).filter { meets(viewer, $0) }),
        ]
    }

    // MARK: Messages

    private func correspondence(of viewer: Int) -> Pages {
        var pages: Pages = [:]
        let own = conversations.indices.filter { isOpen($0, to: viewer) }
        pages["unread messages"] = "\(own.reduce(0) { $0 + unread(in: $1, of: viewer) })"
        pages["conversations"] = own.filter {
            !conversations[$0].messages.isEmpty || conversations[$0].opener == viewer
        }.sorted { conversations[$0].activeAt > conversations[$1].activeAt }.map { number in
            let it = conversations[number]
            let other = it.other(than: viewer)
            return "c\(number) with r\(other)\(areFriends(viewer, other) ? "" : ", closed"), unread "
                + "\(unread(in: number, of: viewer)), read \(it.read[viewer, default: 0]), theirs "
                + "\(it.read[other, default: 0]), last \(it.messages.count)"
        }.joined(separator: "\n")
        for number in conversations.indices {
            let lines = conversations[number].messages.reversed().map { line(ofMessage: $0, for: viewer) }
            pages["messages c\(number)"] = isOpen(number, to: viewer) ? lines.joined(separator: "\n") : "not_found"
        }
        return pages
    }

    private func line(ofMessage message: Int, for viewer: Int) -> String {
        let it = messages[message]
        var card = ""
        if let post = it.card {
            card = " card p\(post) " + (knows(viewer, of: post) ? line(ofPost: post, for: viewer) : "gone")
        }
        return "m\(message) by r\(it.sender) \(Self.text(it.body))\(card)"
    }

    // MARK: Notifications and feed

    private func isNamed(_ actor: Int, by cause: Cause, _ notice: Notice) -> Bool {
        switch cause {
        case .request(let request):
            guard meets(notice.reader, actor) else { return false }
            guard notice.kind == .friendRequested else { return true }
            return [.pending, .accepted, .declined].contains(requests[request].state)
        case .post(let post):
            guard knows(notice.reader, of: post) else { return false }
            guard notice.kind == .postReaction else { return true }
            return meets(notice.reader, actor) && posts[post].reactions.values.contains { $0.contains(actor) }
        }
    }

    private func notifications(of viewer: Int) -> String {
        let own = notices.filter { $0.reader == viewer }
        let lines = own.compactMap { notice -> (line: String, at: Int)? in
            let named = notice.actors.filter { isNamed($0.key, by: $0.value.cause, notice) }.sorted { one, other in
                (one.value.at, one.value.cause, one.key) > (other.value.at, other.value.cause, other.key)
            }
            guard let newest = named.first else { return nil }
            var line =
                "\(notice.kind.rawValue) \(notice.isRead ? "read" : "unread") by \(named.count): "
                + named.prefix(3).map { "r\($0.key)" }.joined(separator: " ")
            if case .post(let post) = newest.value.cause {
                let thread = posts[post].thread
                let opening = threads[thread].posts[0]
                line += opens(post, to: viewer) ? ", p\(post) says \(posts[post].body)" : ", " + placeholder(of: post)
                let title = posts[opening].stands ? "titled" : "untitled"
                line +=
                    opens(opening, to: viewer)
                    ? ", t\(thread) \(title)" : ", gated t\(thread) discussion \(posts[opening].scope)"
            }
            return (line, notice.at)
        }
        // Of those that were told at the same time no order is promised.
        let sorted = lines.sorted { ($1.at, $0.line) < ($0.at, $1.line) }.map(\.line).joined(separator: "\n")
        return "\(own.count { !$0.isRead }) unread\n\(sorted)"
    }

    private func feed(of viewer: Int) -> String {
        deeds.reversed().filter { deed in
            let tie = Tie(deed.reader, deed.work)
            return !deed.isUndone && entries[tie]?.number == deed.entry && areFriends(viewer, deed.reader)
                && !hasMuted(viewer, deed.reader) && sees(viewer, deed.reader, at: shelfLevel(of: deed.reader))
        }.map { deed in
            let now = entries[Tie(deed.reader, deed.work)]
            return "r\(deed.reader) \(deed.status.rawValue) w\(deed.work), now \(Self.text(now?.status.rawValue)) "
                + "\(now?.timesRead ?? 0)"
        }.joined(separator: "\n")
    }
}
