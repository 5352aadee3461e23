import Community

// Threads, posts, reactions, markers.
extension SmallCommunity {
    mutating func write(_ act: Act, by reader: Int) throws(Refusal) {
        switch act {
        case .open(let work, let scope): open(on: work, scope: scope, by: reader)
        case .reply(let thread, let parent, let quoted, let scope, let mentioned):
            try reply(
                in: thread, Wish(parent: parent, quoted: quoted, scope: scope, mentioned: mentioned), by: reader)
        case .edit(let post, let isSaidAnew, let scope):
            try edit(post, isSaidAnew: isSaidAnew, scope: scope, by: reader)
        case .delete(let post): try delete(post, by: reader)
        case .react(let post, let reaction): try react(reaction, to: post, by: reader)
        case .unreact(let post, let reaction): try unreact(reaction, to: post, by: reader)
        default: break
        }
    }

    private struct Wish {
        let parent: Int?
        let quoted: Int?
        let scope: Int?
        let mentioned: Int?
    }

    /// How far the reader has come while they read the book, else all of it: the books here are novels.
    private func usualScope(of reader: Int, in work: Int) -> Int {
        guard let entry = entries[Tie(reader, work)], entry.status == .reading || entry.status == .paused,
            let position = entry.furthest, position > 0 || entry.timesRead == 0
        else { return Gate.end }
        return position
    }

    private mutating func open(on work: Int, scope: Int?, by reader: Int) {
        let thread = threads.count
        threads.append(Thread(work: work, author: reader))
        let post = Post(
            thread: thread, number: 1, author: reader, parent: nil, quoted: nil, depth: 0, at: now,
            scope: scope ?? usualScope(of: reader, in: work), body: body(ofPost: posts.count, text: 1))
        add(post)
        tell("thread.opened", on: ["book w\(work)"], by: reader, .post(posts.count - 1, text: 1), "p\(posts.count - 1)")
    }

    /// What a post says: another text each time.
    func body(ofPost post: Int, text: Int, mentioning reader: Int? = nil) -> String {
        "Post \(post), text \(text), \(word)" + (reader.map { " for @\(usernames[$0]) too." } ?? ".")
    }

    private mutating func add(_ post: Post) {
        posts.append(post)
        threads[post.thread].posts.append(posts.count - 1)
        let tie = Tie(post.author, post.thread)
        let old = markers[tie] ?? Marker()
        markers[tie] = Marker(read: max(old.read, post.number), watching: old.watching ?? .followed)
        tellings.append(.written(post: posts.count - 1))
    }

    private mutating func reply(in thread: Int, _ wish: Wish, by reader: Int) throws(Refusal) {
        guard sees(reader, thread: thread) else { throw Self.notFound }
        for source in [wish.parent, wish.quoted].compactMap(\.self) {
            guard posts[source].stands, hears(reader, posts[source].author) else { throw Self.notFound }
            guard opens(source, to: reader) else { throw Refusal(code: "post_gated") }
        }
        let opening = threads[thread].posts[0]
        guard wish.parent != nil || opens(opening, to: reader) else { throw Refusal(code: "post_gated") }
        let sources = [wish.parent ?? opening, wish.quoted].compactMap(\.self).map { posts[$0].scope }
        let scope = max(
            wish.scope ?? usualScope(of: reader, in: threads[thread].work), sources.max() ?? 0)
        if let parent = wish.parent { posts[parent].replies += 1 }
        let number = threads[thread].posts.count + 1
        add(
            Post(
                thread: thread, number: number, author: reader, parent: wish.parent, quoted: wish.quoted,
                depth: wish.parent.map { posts[$0].depth + 1 } ?? 0, at: now, scope: scope,
                body: body(ofPost: posts.count, text: 1, mentioning: wish.mentioned), mentioned: wish.mentioned))
        tell(
            "post.created", on: ["thread t\(thread)"], by: reader, .post(posts.count - 1, text: 1),
            "p\(posts.count - 1)")
    }

    /// The post of somebody who wants to change it. Throws where they may not know of it, or it is another's.
    private func own(_ post: Int, of reader: Int) throws(Refusal) -> Post {
        let it = posts[post]
        let isKnown = it.author == reader || sees(reader, thread: it.thread) && hears(reader, it.author)
        guard it.stands, isKnown else { throw Self.notFound }
        guard it.author == reader else { throw Refusal(code: "not_author") }
        return it
    }

    private mutating func edit(_ post: Int, isSaidAnew: Bool, scope: Int?, by reader: Int) throws(Refusal) {
        let it = try own(post, of: reader)
        let new = scope ?? it.scope
        guard new >= it.scope else { throw Refusal(code: "not_moderator") }
        guard isSaidAnew || new > it.scope else { return }
        if new > it.scope {
            for one in beyond(post) where posts[one].scope < new { posts[one].scope = new }
        }
        if isSaidAnew {
            posts[post].text += 1
            posts[post].body = body(ofPost: post, text: posts[post].text)
        }
        let board = it.number == 1 ? ["book w\(threads[it.thread].work)"] : []
        tell(
            "post.edited", on: ["thread t\(it.thread)"] + board, by: reader, .post(post, text: posts[post].text),
            "p\(post)")
    }

    /// A post, and all that answers or quotes it, however far.
    private func beyond(_ post: Int) -> Set<Int> {
        var reached: Set<Int> = [post]
        var next = [post]
        while let one = next.popLast() {
            let (thread, isFirst) = (posts[one].thread, posts[one].number == 1)
            for other in threads[thread].posts where !reached.contains(other) {
                let it = posts[other]
                guard it.parent == one || it.quoted == one || isFirst && it.parent == nil else { continue }
                reached.insert(other)
                next.append(other)
            }
        }
        return reached
    }

    private mutating func delete(_ post: Int, by reader: Int) throws(Refusal) {
        let it = try own(post, of: reader)
        posts[post].stands = false
        posts[post].reactions = [:]
        if let parent = it.parent { posts[parent].replies -= 1 }
        let isLast = !threads[it.thread].posts.contains { posts[$0].stands }
        if isLast { threads[it.thread].isHidden = true }
        let board = it.number == 1 || isLast ? ["book w\(threads[it.thread].work)"] : []
        tell(
            "post.deleted", on: ["thread t\(it.thread)"] + board, by: reader,
            .level(min(.members, level(.discussions, of: reader))), "p\(post)")
    }

    // MARK: Reactions

    /// Throws for a post that the reader may not know of, as its thread shows it.
    private func reactable(_ post: Int, by reader: Int) throws(Refusal) -> Post {
        let it = posts[post]
        guard !threads[it.thread].isHidden, it.author == reader || sees(reader, thread: it.thread),
            !it.stands || hears(reader, it.author)
        else { throw Self.notFound }
        return it
    }

    private mutating func react(_ reaction: Reaction, to post: Int, by reader: Int) throws(Refusal) {
        let it = try reactable(post, by: reader)
        guard it.stands else { throw Refusal(code: "post_deleted") }
        guard opens(post, to: reader) else { throw Refusal(code: "post_gated") }
        guard it.author != reader else { throw Refusal(code: "own_thing") }
        guard posts[post].reactions[reaction, default: []].insert(reader).inserted else { return }
        tellReactions(to: post)
        let isAsked = tellings.contains { if case .reacted(post, reader) = $0 { true } else { false } }
        if !isAsked { tellings.append(.reacted(post: post, reader: reader)) }
    }

    private mutating func unreact(_ reaction: Reaction, to post: Int, by reader: Int) throws(Refusal) {
        _ = try reactable(post, by: reader)
        guard posts[post].reactions[reaction]?.remove(reader) != nil else { return }
        tellReactions(to: post)
    }

    private mutating func tellReactions(to post: Int) {
        let it = posts[post]
        tell("post.reacted", on: ["thread t\(it.thread)"], by: it.author, .post(post, text: it.text), "p\(post)")
    }

    // MARK: What readers keep

    mutating func keep(_ act: Act, by reader: Int) throws(Refusal) {
        switch act {
        case .watch(let thread, let watching):
            guard sees(reader, thread: thread) else { throw Self.notFound }
            markers[Tie(reader, thread), default: Marker()].watching = watching
        case .unwatch(let thread, let watching):
            guard markers[Tie(reader, thread)]?.watching == watching else { return }
            markers[Tie(reader, thread)]?.watching = nil
        case .watchBoard(let work, let watching): boards[Tie(reader, work)] = watching
        case .unwatchBoard(let work, let watching):
            if boards[Tie(reader, work)] == watching { boards[Tie(reader, work)] = nil }
        case .markRead(let thread, let number):
            guard sees(reader, thread: thread) else { throw Self.notFound }
            guard (0...threads[thread].posts.count).contains(number) else { throw Refusal(code: "invalid") }
            let read = max(number, markers[Tie(reader, thread)]?.read ?? 0)
            markers[Tie(reader, thread), default: Marker()].read = read
        default: break
        }
    }
}
