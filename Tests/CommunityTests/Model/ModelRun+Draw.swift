import Community
import TestSupport

// What is tried next.
extension ModelRun {
    /// Kinds of acts, each as often as it stands here.
    private enum Kind: CaseIterable {
        case ask, answer, part, block, unblock, mute, show
        case shelve, progress, gate, reveal
        case open, reply, edit, delete, react
        case watch, markRead
        case converse, send, changeMessage, readMessages, readNotifications

        var weight: Int {
            switch self {
            case .reply: 30
            case .progress: 16
            case .send: 18
            case .ask, .answer, .react: 12
            case .reveal: 10
            case .edit, .shelve: 8
            case .show, .delete, .converse, .watch, .changeMessage: 6
            case .block, .gate, .open: 5
            case .part, .unblock, .mute, .readMessages, .markRead: 4
            case .readNotifications: 2
            }
        }
    }

    /// Places in a book, where a scope and a position meet.
    private static let places = [0, 1, 1_000, 2_500, 5_000, 5_001, 7_500, 9_999, 10_000]

    private var place: Int { random.element(of: Self.places) ?? 0 }

    /// What a post is said to give away: half of them nothing, and of some nothing is said.
    private var scope: Int? { random.once(in: 5) ? nil : random.once(in: 2) ? 0 : place }

    /// One of them, most often one of those for which there is something to be done.
    private func some(_ all: some Sequence<Int>, where isLikely: (Int) -> Bool) -> Int? {
        let all = Array(all)
        return random.once(in: 4)
            ? random.element(of: all) : random.element(of: all.filter(isLikely)) ?? random.element(of: all)
    }

    /// Who does what; `nil` where there is nothing to do it to. A community begins with a thread on each board and a few who know each other.
    func draw(_ step: Int) -> (reader: Int, act: SmallCommunity.Act)? {
        let reader = random.number(in: state.readers)
        switch step {
        case state.works: return (reader, .open(step, scope: scope))
        case 2..<5: return (reader, .ask(other(than: reader)))
        case 5..<7:
            guard let request = random.element(of: state.requests.indices) else { return nil }
            return (state.requests[request].recipient, .accept(request))
        default: return draw(for: reader)
        }
    }

    private func other(than reader: Int) -> Int {
        (reader + random.number(in: 1..<state.readers.count)) % state.readers.count
    }

    private func kind() -> Kind {
        var left = random.number(in: 0..<Kind.allCases.reduce(0) { $0 + $1.weight })
        return Kind.allCases.first {
            left -= $0.weight
            return left < 0
        } ?? .reply
    }

    private func draw(for reader: Int) -> (reader: Int, act: SmallCommunity.Act)? {
        let other = other(than: reader)
        let work = random.number(in: state.works)
        let kind = kind()
        switch kind {
        case .ask: return (reader, .ask(other))
        case .answer: return answer()
        case .part: return (reader, .unfriend(friend(of: reader) ?? other))
        case .block: return (reader, .block(other))
        case .unblock:
            let ties = state.blocks.keys.sorted { ($0.one, $0.other) < ($1.one, $1.other) }
            guard let tie = random.element(of: ties) else { return nil }
            return random.once(in: 5) ? (tie.other, .unblock(tie.one)) : (tie.one, .unblock(tie.other))
        case .mute: return (reader, random.once(in: 3) ? .unmute(other) : .mute(other))
        case .show:
            let kinds: [Privacy.Kind] = [.discussions, .discussions, .shelves, .activity]
            let level = random.element(of: Visibility.allCases) ?? .public
            return (reader, .show(random.element(of: kinds) ?? .discussions, level))
        case .shelve:
            if random.once(in: 5) { return (reader, .unshelve(work)) }
            return (reader, .shelve(work, random.element(of: Library.Status.allCases) ?? .want))
        case .progress:
            let device = random.once(in: 2) ? "phone" : "tablet"
            return (reader, .progress(work, to: place, device: device, isMeant: random.once(in: 3)))
        case .gate:
            let isOff: Bool? = random.once(in: 2) ? random.once(in: 3) : nil
            return (reader, .gate(isOff: isOff, gatesRereads: random.once(in: 2) ? random.once(in: 2) : nil))
        case .reveal: return reveal(by: reader, work)
        case .open: return (reader, .open(work, scope: scope))
        case .converse:
            let pairs = state.friends.keys.sorted { ($0.one, $0.other) < ($1.one, $1.other) }
            guard let pair = random.element(of: pairs), !random.once(in: 5) else {
                return (reader, .openConversation(other))
            }
            return (pair.one, .openConversation(pair.other))
        case .readNotifications: return (reader, .readNotifications)
        case .reply, .edit, .delete, .react: return write(by: reader, kind)
        case .watch, .markRead: return keep(by: reader, work)
        case .send, .changeMessage, .readMessages: return correspond(by: reader, kind)
        }
    }

    private func friend(of reader: Int) -> Int? {
        some(state.readers.filter { $0 != reader }) { state.areFriends(reader, $0) }
    }

    private func answer() -> (reader: Int, act: SmallCommunity.Act)? {
        let open = state.requests.indices.filter { state.requests[$0].state == .pending }
        let any = random.element(of: state.requests.indices)
        guard let request = random.once(in: 4) ? any : random.element(of: open) ?? any else { return nil }
        let it = state.requests[request]
        switch random.number(in: 0..<8) {
        case 0, 1: return (it.recipient, .decline(request))
        case 2: return (it.sender, .withdraw(request))
        case 3: return (it.sender, .accept(request))
        default: return (it.recipient, .accept(request))
        }
    }

    private func reveal(by reader: Int, _ work: Int) -> (reader: Int, act: SmallCommunity.Act)? {
        let revealed = state.reveals.filter { $0.reader == reader }.map(\.what).sorted { "\($0)" < "\($1)" }
        if random.once(in: 3), let one = random.element(of: revealed) { return (reader, .unreveal(one)) }
        guard let post = random.element(of: state.posts.indices) else { return nil }
        switch random.number(in: 0..<6) {
        case 0: return (reader, .reveal(.work(work)))
        case 1: return (reader, .reveal(.thread(state.posts[post].thread)))
        case 2: return (reader, .unreveal(.post(post)))
        default: return (reader, .reveal(.post(post)))
        }
    }

    private func write(by reader: Int, _ kind: Kind) -> (reader: Int, act: SmallCommunity.Act)? {
        if kind == .reply { return reply(by: reader).map { (reader, $0) } }
        if kind == .react {
            let post = some(state.posts.indices) {
                state.knows(reader, of: $0) && state.opens($0, to: reader) && state.posts[$0].author != reader
            }
            let reaction: Reaction = random.once(in: 2) ? .like : .wow
            return post.map { (reader, random.once(in: 4) ? .unreact($0, reaction) : .react($0, reaction)) }
        }
        guard let post = some(state.posts.indices, where: { state.posts[$0].stands }) else { return nil }
        let author = random.once(in: 8) ? reader : state.posts[post].author
        guard kind == .edit else { return (author, .delete(post)) }
        let scope = random.once(in: 2) ? place : nil
        return (author, .edit(post, isSaidAnew: scope == nil || random.once(in: 2), scope: scope))
    }

    private func reply(by reader: Int) -> SmallCommunity.Act? {
        let thread = some(state.threads.indices) {
            state.sees(reader, thread: $0) && state.opens(state.threads[$0].posts[0], to: reader)
        }
        guard let thread else { return nil }
        let posts = state.threads[thread].posts
        // Beyond that posts stand beside each other.
        let parents = posts.filter { state.posts[$0].depth < Limits.boards.depth }
        func open(_ posts: [Int]) -> Int? {
            some(posts) { state.knows(reader, of: $0) && state.opens($0, to: reader) }
        }
        return .reply(
            thread, parent: random.once(in: 2) ? open(parents) : nil, quoted: random.once(in: 4) ? open(posts) : nil,
            scope: scope, mentioned: random.once(in: 4) ? random.number(in: state.readers) : nil)
    }

    private func keep(by reader: Int, _ work: Int) -> (reader: Int, act: SmallCommunity.Act)? {
        guard let thread = random.element(of: state.threads.indices) else { return nil }
        let watching: Boards.Watching = random.once(in: 3) ? .muted : .followed
        switch random.number(in: 0..<10) {
        case 0..<3: return (reader, .watch(thread, watching))
        case 3: return (reader, .unwatch(thread, watching))
        case 4, 5: return (reader, .watchBoard(work, watching))
        case 6: return (reader, .unwatchBoard(work, watching))
        default:
            let number = random.number(in: 0...state.threads[thread].posts.count + (random.once(in: 6) ? 1 : 0))
            return (reader, .markRead(thread, number: number))
        }
    }

    private func correspond(by reader: Int, _ kind: Kind) -> (reader: Int, act: SmallCommunity.Act)? {
        let conversation = some(state.conversations.indices) {
            state.areFriends(state.conversations[$0].opener, state.conversations[$0].partner)
        }
        guard let conversation else {
            return (reader, .openConversation(friend(of: reader) ?? other(than: reader)))
        }
        let it = state.conversations[conversation]
        let writer = random.once(in: 10) ? reader : random.once(in: 2) ? it.opener : it.partner
        if kind == .readMessages {
            return (writer, .readMessages(conversation, seq: random.number(in: 0...it.messages.count + 1)))
        }
        if kind == .changeMessage, let message = random.element(of: it.messages) {
            let sender = state.messages[message].sender
            return random.once(in: 2)
                ? (sender, .editMessage(message)) : (random.once(in: 4) ? writer : sender, .deleteMessage(message))
        }
        let card = random.once(in: 3) ? some(state.posts.indices) { state.knows(writer, of: $0) } : nil
        return (writer, .send(conversation, card: card))
    }
}
