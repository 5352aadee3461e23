import Community

extension SmallCommunity {
    /// What a reader may try.
    enum Act: Sendable, Hashable {
        case ask(Int)
        case accept(Int)
        case decline(Int)
        case withdraw(Int)
        case unfriend(Int)
        case block(Int)
        case unblock(Int)
        case mute(Int)
        case unmute(Int)
        case show(Privacy.Kind, Visibility)
        case shelve(Int, Library.Status)
        case unshelve(Int)
        case progress(Int, to: Int, device: String, isMeant: Bool)
        case gate(isOff: Bool?, gatesRereads: Bool?)
        case reveal(Revealed.Subject)
        case unreveal(Revealed.Subject)
        case open(Int, scope: Int?)
        case reply(Int, parent: Int?, quoted: Int?, scope: Int?, mentioned: Int?)
        case edit(Int, isSaidAnew: Bool, scope: Int?)
        case delete(Int)
        case react(Int, Reaction)
        case unreact(Int, Reaction)
        case watch(Int, Boards.Watching)
        case unwatch(Int, Boards.Watching)
        case watchBoard(Int, Boards.Watching)
        case unwatchBoard(Int, Boards.Watching)
        case markRead(Int, number: Int)
        case openConversation(Int)
        case send(Int, card: Int?)
        case editMessage(Int)
        case deleteMessage(Int)
        case readMessages(Int, seq: Int)
        case readNotifications
    }

    /// Why an act is refused: the code of the failure.
    struct Refusal: Error, Hashable { let code: String }

    static let notFound = Refusal(code: "not_found")

    /// What the act makes of the community. Gives `ok` or the code of the refusal.
    mutating func apply(_ act: Act, by reader: Int) -> String {
        now += 1
        do throws(Refusal) {
            try perform(act, by: reader)
            return "ok"
        } catch {
            return error.code
        }
    }

    private mutating func perform(_ act: Act, by reader: Int) throws(Refusal) {
        switch act {
        case .ask, .accept, .decline, .withdraw, .unfriend: try befriend(act, by: reader)
        case .block(let other): try block(other, by: reader)
        case .unblock(let other): unblock(other, by: reader)
        case .mute(let other): try mute(other, by: reader)
        case .unmute(let other): unmute(other, by: reader)
        case .show(let kind, let level): show(kind, at: level, by: reader)
        case .shelve(let work, let status): shelve(work, as: status, by: reader)
        case .unshelve(let work): unshelve(work, by: reader)
        case .progress(let work, let position, let device, let isMeant):
            try log(position, in: work, from: device, isMeant: isMeant, by: reader)
        case .gate(let isOff, let gatesRereads): choose(isOff: isOff, gatesRereads: gatesRereads, by: reader)
        case .reveal(let subject): try reveal(subject, by: reader)
        case .unreveal(let subject): try unreveal(subject, by: reader)
        case .open, .reply, .edit, .delete, .react, .unreact: try write(act, by: reader)
        case .watch, .unwatch, .watchBoard, .unwatchBoard, .markRead: try keep(act, by: reader)
        case .openConversation(let other): try openConversation(with: other, by: reader)
        case .send(let conversation, let card): try send(in: conversation, card: card, by: reader)
        case .editMessage(let message): try edit(message: message, by: reader)
        case .deleteMessage(let message): try delete(message: message, by: reader)
        case .readMessages(let conversation, let seq): try read(conversation, to: seq, by: reader)
        case .readNotifications:
            for place in notices.indices where notices[place].reader == reader { notices[place].isRead = true }
        }
    }
}

// MARK: What is told on the stream

extension SmallCommunity {
    /// An event, and what must hold for those who are to have it.
    struct Told: Sendable {
        enum Subject: Sendable {
            /// For the servers.
            case nobody
            /// In inboxes, while their readers see whose doing it is and have not muted them.
            case inbox
            case level(Visibility)
            /// An entry on a shelf.
            case entry(Int, of: Tie)
            /// A post while it says this.
            case post(Int, text: Int)
            case message(Int, text: Int)
            case receipt(Int)
        }

        let kind: String
        /// `reader 1`, `thread 0`, …
        let topics: [String]
        /// `nil`: nobody's.
        let owner: Int?
        let subject: Subject
        /// What its data names.
        let data: String
    }

    mutating func tell(
        _ kind: String, on topics: [String], by owner: Int? = nil, _ subject: Told.Subject, _ data: String = ""
    ) {
        told.append(Told(kind: kind, topics: topics, owner: owner, subject: subject, data: data))
    }

    /// `event`, `skip`, or `gated` with what stands in its place.
    func form(of told: Told, for viewer: Int) -> String {
        switch told.subject {
        case .nobody: return "skip"
        case .inbox:
            let isTheirs = told.topics.contains("inbox r\(viewer)")
            guard let owner = told.owner else { return isTheirs ? "event" : "skip" }
            return isTheirs && meets(viewer, owner) && !hasMuted(viewer, owner) ? "event" : "skip"
        case .level(let level): return told.owner.map { sees(viewer, $0, at: level) } ?? false ? "event" : "skip"
        case .entry(let number, let tie):
            let isThere = entries[tie]?.number == number
            return isThere && sees(viewer, tie.one, at: shelfLevel(of: tie.one)) ? "event" : "skip"
        case .post(let post, let text):
            guard posts[post].text == text, knowsAsFollower(viewer, of: post) else { return "skip" }
            return opens(post, to: viewer) ? "event" : placeholder(of: post)
        case .message(let message, let text):
            let it = messages[message]
            return it.text == text && isOpen(it.conversation, to: viewer) ? "event" : "skip"
        case .receipt(let conversation): return isOpen(conversation, to: viewer) ? "event" : "skip"
        }
    }

    /// As on the page of its thread, where its opener is the one who speaks, too.
    private func knowsAsFollower(_ viewer: Int, of post: Int) -> Bool {
        let it = posts[post]
        guard it.stands, !threads[it.thread].isHidden, hears(viewer, it.author) else { return false }
        return it.author == threads[it.thread].author || sees(viewer, thread: it.thread)
    }

    /// What stands in the place of a post.
    func placeholder(of post: Int) -> String {
        "gated p\(post) \(posts[post].number == 1 ? "discussion" : "reply") \(posts[post].scope)"
    }

    /// Whether it is on the home of `viewer`.
    func isHome(_ told: Told, of viewer: Int) -> Bool {
        guard let owner = told.owner, told.topics.contains("reader r\(owner)"), owner != viewer else { return false }
        return areFriends(viewer, owner) && !hasMuted(viewer, owner) && form(of: told, for: viewer) == "event"
    }
}
