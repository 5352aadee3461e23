import TestSupport

@testable import Client

extension Act.Kind {
    /// What is said on boards, between friends and in groups, and what readers choose to see of it.
    var isTalk: Bool {
        switch self {
        case .openThread, .reply, .editPost, .deletePost, .react, .unreact, .spoils, .reveal, .unreveal, .setGate,
            .watch, .unwatch, .mute, .unmute, .converse, .message, .editMessage, .deleteMessage, .readMessages,
            .readNotifications, .makeGroup, .joinGroup, .leaveGroup, .postInGroup, .answerReview, .reactToReview:
            true
        default: false
        }
    }
}

extension RandomRun {
    /// The call of such an act; `nil` where there is nothing to do it to. `partner`: who is written to or muted.
    func talk(
        _ kind: Act.Kind, _ seat: Seat, about book: String, with partner: String, _ random: TestRandom
    ) async throws -> Act? {
        let known = snapshot
        switch kind {
        case .openThread: return Act.opening("/books/\(book)/threads", random)
        case .makeGroup:
            let name = JSONValue.string("Group \(random.number(in: 0..<1_000_000_000))")
            let visibility = JSONValue.string(random.once(in: 4) ? "private" : "public")
            return Act(.post, "/groups", ["name": name, "visibility": visibility])
        case .converse: return Act(.put, "/me/conversations/with/\(partner)")
        case .mute: return Act(.put, "/readers/\(partner)/mute")
        case .unmute: return Act(.delete, "/readers/\(partner)/mute")
        case .setGate:
            // The gate of the seats alone: nobody looks at the secret through them.
            return Act(
                .patch, "/me/settings/gate",
                ["is_off": .bool(random.once(in: 4)), "has_gated_rereads": .bool(random.once(in: 2))])
        case .readNotifications: return Act(.put, "/me/notifications/read", [:])
        case .editPost, .deletePost:
            guard let post = try await id(in: "/me/posts", seat, random) else { return nil }
            return kind == .deletePost ? Act(.delete, "/posts/\(post)") : Act.edit(of: post, random)
        case .message, .readMessages, .editMessage, .deleteMessage:
            guard let conversation = try await id(in: "/me/conversations", seat, random) else { return nil }
            return try await write(kind, in: conversation, seat, known, random)
        case .joinGroup, .leaveGroup, .postInGroup: return try await gather(kind, seat, known, about: book, random)
        case .answerReview, .reactToReview:
            guard let review = random.element(of: known.reviews) else { return nil }
            guard kind == .answerReview else { return Act(.put, "/reviews/\(review)/reactions/like") }
            return Act.answer(to: review, known, random)
        default: return Act.onBoard(kind, known, about: book, random)
        }
    }

    private func write(
        _ kind: Act.Kind, in conversation: String, _ seat: Seat, _ known: Known, _ random: TestRandom
    ) async throws -> Act? {
        switch kind {
        case .message:
            var body: [String: JSONValue] = ["body": .string("Message \(random.number(in: 0..<1_000)).")]
            if random.once(in: 3) {
                let post = random.once(in: 2) ? random.element(of: known.secretPosts.sorted()) : nil
                body["post_id"] = (post ?? random.element(of: known.posts)).map(JSONValue.string)
            }
            return Act(.post, "/conversations/\(conversation)/messages", .object(body))
        case .readMessages:
            let seq = JSONValue.number(Double(random.number(in: 1...5)))
            return Act(.put, "/conversations/\(conversation)/read", ["seq": seq])
        default:
            guard let message = try await id(in: "/conversations/\(conversation)/messages", seat, random) else {
                return nil
            }
            guard kind == .editMessage else { return Act(.delete, "/messages/\(message)") }
            let text = JSONValue.string("Better \(random.number(in: 0..<1_000)).")
            return Act(.patch, "/messages/\(message)", ["body": text])
        }
    }

    private func gather(
        _ kind: Act.Kind, _ seat: Seat, _ known: Known, about book: String, _ random: TestRandom
    ) async throws -> Act? {
        if kind == .joinGroup {
            return random.element(of: known.groups).map { Act(.put, "/groups/\($0)/membership") }
        }
        guard let group = try await id(in: "/me/groups", seat, random) else { return nil }
        if kind == .leaveGroup { return Act(.delete, "/groups/\(group)/membership") }
        guard random.once(in: 2) else {
            return Act(
                .post, "/groups/\(group)/threads", ["title": .string("What next?"), "body": .string("Any wishes?")])
        }
        return Act.opening("/groups/\(group)/threads", random, about: book)
    }
}

extension Act {
    /// A thread about a book: about a third of them say what only its end tells.
    fileprivate static func opening(_ path: String, _ random: TestRandom, about book: String? = nil) -> Act {
        var said = said(random, in: book == nil ? .post : .group)
        // A title is gated as the post that it heads, and holds no inline spoilers: it is a secret where the post is
        // one by its scope.
        let isSecret = said["body"]?.string.map { Secret.tokens(in: $0) != [] } ?? false
        let isGated = isSecret && said["scope"] != .string("free")
        let title = isGated && random.once(in: 2) ? Secret.text(random, in: book == nil ? .title : .heading) : nil
        said["title"] = .string(title ?? "A thread")
        if let book { said["book_id"] = .string(book) }
        return Act(.post, path, .object(said))
    }

    /// What somebody writes, and what it gives away. The secret word stands in what gives away the end or nearly all.
    private static func said(_ random: TestRandom, in place: Secret.Place = .post) -> [String: JSONValue] {
        switch random.number(in: 0..<6) {
        case 0: ["body": .string(Secret.text(random, in: place)), "scope": .string("finished")]
        case 1: ["body": .string(Secret.text(random, in: place)), "scope": ["upto": .number(9_000)]]
        case 2:
            ["body": .string("Only this much: >!\(Secret.text(random, in: .inline))!<"), "scope": .string("free")]
        case 3: ["body": .string("I am just there."), "scope": ["upto": .number(Double(random.number(in: 1...9_999)))]]
        case 4: ["body": .string("Where I am.")]
        default: ["body": .string("A thought, number \(random.number(in: 0..<1_000))."), "scope": .string("free")]
        }
    }

    /// A post that says something else and perhaps gives away more: the secret only with all of the book.
    fileprivate static func edit(of post: String, _ random: TestRandom) -> Act {
        guard random.once(in: 3) else {
            let text = JSONValue.string("Another thought, number \(random.number(in: 0..<1_000)).")
            return Act(.patch, "/posts/\(post)", ["body": text])
        }
        return Act(
            .patch, "/posts/\(post)", ["body": .string(Secret.text(random, in: .edit)), "scope": .string("finished")])
    }

    /// An answer to a review. Only to one that stays marked it holds the secret: another may lose its mark before the
    /// answer comes, which is then for everybody.
    fileprivate static func answer(to review: String, _ known: RandomRun.Known, _ random: TestRandom) -> Act {
        guard random.once(in: 2), let marked = random.element(of: known.markedReviews) else {
            return Act(.post, "/reviews/\(review)/replies", ["body": .string("So it is.")])
        }
        return Act(.post, "/reviews/\(marked)/replies", ["body": .string(Secret.text(random, in: .answer))])
    }

    /// Something done to a thread or post; `nil` where there is none.
    fileprivate static func onBoard(
        _ kind: Kind, _ known: RandomRun.Known, about book: String, _ random: TestRandom
    ) -> Act? {
        guard let thread = random.element(of: known.threads), let post = random.element(of: known.posts) else {
            return nil
        }
        let reactions = ["like", "love", "wow"]
        let reaction = reactions[random.number(in: 0..<reactions.count)]
        let board = random.once(in: 3) ? "/books/\(book)/board" : "/threads/\(thread)"
        let watching = random.once(in: 4) ? "/mute" : "/follow"
        let places = ["/posts/\(post)", "/posts/\(post)", "/threads/\(thread)", "/books/\(book)"]
        let place = places[random.number(in: 0..<places.count)]
        switch kind {
        case .reply: return Act(.post, "/threads/\(thread)/posts", .object(said(random)))
        case .react: return Act(.put, "/posts/\(post)/reactions/\(reaction)")
        case .unreact: return Act(.delete, "/posts/\(post)/reactions/\(reaction)")
        case .watch: return Act(.put, board + watching)
        case .unwatch: return Act(.delete, board + watching)
        case .reveal: return Act(.put, place + "/reveal")
        case .unreveal: return Act(.delete, place + "/reveal")
        case .spoils:
            return Act(
                .put, "/posts/\(post)/spoils", ["position": .number(Double(random.number(in: 1...10_000)))])
        default: return nil
        }
    }
}
