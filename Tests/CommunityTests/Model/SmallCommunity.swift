import Community

/// A few readers, books and threads as the rules say that they are, kept by the test itself: nothing of it is read from a database.
///
/// Readers, works, threads, posts, requests, conversations and messages are numbered from 0 in the order in which they came. What a rule refuses
/// changes nothing.
struct SmallCommunity: Sendable {
    /// Who looks without being signed in.
    static let anonymous = -1

    /// One who does something to another, or has something of a work or thread.
    struct Tie: Hashable, Sendable {
        let one: Int
        let other: Int
        init(_ one: Int, _ other: Int) { (self.one, self.other) = (one, other) }
        var reversed: Tie { Tie(other, one) }
    }

    enum RequestState: Sendable { case pending, accepted, declined, withdrawn, dropped }

    struct Request: Sendable {
        let sender: Int
        let recipient: Int
        var state = RequestState.pending
    }

    enum Outcome: Sendable { case open, finished, stopped }

    /// A book in a library.
    struct Entry: Sendable {
        let number: Int
        var status: Library.Status
        /// Its readings, oldest first.
        var readings: [Outcome] = []
        var position: Int?
        /// Where the reader was in this reading before they turned back.
        var reached: Int?
        var device: String?
        var furthest: Int? { position.map { max($0, reached ?? 0) } }
        var timesRead: Int { readings.count { $0 == .finished } }
    }

    /// What was done to a book in a library, for the feeds of friends.
    struct Deed: Sendable {
        let reader: Int
        let work: Int
        let status: Library.Status
        let entry: Int
        var isUndone = false
    }

    struct Thread: Sendable {
        let work: Int
        let author: Int
        /// Its posts in the order of their numbers; the first opens it.
        var posts: [Int] = []
        var isHidden = false
    }

    struct Post: Sendable {
        let thread: Int
        let number: Int
        let author: Int
        let parent: Int?
        let quoted: Int?
        let depth: Int
        let at: Int
        var scope: Int
        var body: String
        /// Counts its texts.
        var text = 1
        var stands = true
        /// Direct answers that stand.
        var replies = 0
        var reactions: [Reaction: Set<Int>] = [:]
        /// A reader whom the first text names.
        var mentioned: Int?
    }

    /// What a reader keeps of a thread.
    struct Marker: Sendable {
        var read = 0
        var watching: Boards.Watching?
    }

    struct Conversation: Sendable {
        let opener: Int
        let partner: Int
        var messages: [Int] = []
        var read: [Int: Int] = [:]
        var activeAt: Int
        func other(than reader: Int) -> Int { reader == opener ? partner : opener }
        func has(_ reader: Int) -> Bool { reader == opener || reader == partner }
    }

    struct Message: Sendable {
        let conversation: Int
        /// Its place, from 1.
        let seq: Int
        let sender: Int
        var body: String?
        var card: Int?
        var text = 1
    }

    let readers: Range<Int>
    let works: Range<Int>
    /// Stands in every post, and in no other community's.
    let word: String
    /// What each reader is called.
    let usernames: [String]
    /// Acts so far: the time.
    var now = 0
    /// Both directions, with the time since.
    var friends: [Tie: Int] = [:]
    var requests: [Request] = []
    /// By the one who blocks or mutes, with the time.
    var blocks: [Tie: Int] = [:]
    var mutes: [Tie: Int] = [:]
    var privacy: [Tie: Visibility] = [:]
    /// By reader and work.
    var entries: [Tie: Entry] = [:]
    var entriesMade = 0
    var deeds: [Deed] = []
    var isGateOff: Set<Int> = []
    var gatesRereads: Set<Int> = []
    /// Whose library was looked through for what another setting opened: not again within the hour.
    var lookedThrough: Set<Int> = []
    var reveals: Set<Revealed> = []
    var threads: [Thread] = []
    var posts: [Post] = []
    /// By reader and thread.
    var markers: [Tie: Marker] = [:]
    /// By reader and work.
    var boards: [Tie: Boards.Watching] = [:]
    var conversations: [Conversation] = []
    var messages: [Message] = []
    var notices: [Notice] = []
    /// What waits to be told, oldest first.
    var tellings: [Telling] = []
    /// What happened and was not delivered yet.
    var told: [Told] = []

    struct Revealed: Hashable, Sendable {
        let reader: Int
        let what: Subject
        enum Subject: Hashable, Sendable { case post(Int), thread(Int), work(Int) }
    }

    init(usernames: [String], works: Int, word: String) {
        self.readers = usernames.indices
        self.works = 0..<works
        self.word = word
        self.usernames = usernames
    }
}

// MARK: Who sees what

extension SmallCommunity {
    func areFriends(_ one: Int, _ other: Int) -> Bool { friends[Tie(one, other)] != nil }

    func isBlock(between one: Int, _ other: Int) -> Bool {
        blocks[Tie(one, other)] != nil || blocks[Tie(other, one)] != nil
    }

    func hasMuted(_ reader: Int, _ other: Int) -> Bool { mutes[Tie(reader, other)] != nil }

    func level(_ kind: Privacy.Kind, of reader: Int) -> Visibility {
        privacy[Tie(reader, Self.place(of: kind))] ?? kind.usual
    }

    static func place(of kind: Privacy.Kind) -> Int { Privacy.Kind.allCases.firstIndex(of: kind) ?? -1 }

    /// Whether `viewer` sees something of `owner` at this level.
    func sees(_ viewer: Int, _ owner: Int, at level: Visibility) -> Bool {
        if viewer == owner { return true }
        if viewer != Self.anonymous, isBlock(between: viewer, owner) { return false }
        switch level {
        case .public: return true
        case .members: return viewer != Self.anonymous
        case .friends: return areFriends(viewer, owner)
        case .private: return false
        }
    }

    /// Whether there is such a reader for `viewer`.
    func meets(_ viewer: Int, _ other: Int) -> Bool { sees(viewer, other, at: .members) }

    /// Whether `viewer` sees what `author` says on boards.
    func hears(_ viewer: Int, _ author: Int) -> Bool { sees(viewer, author, at: level(.discussions, of: author)) }

    /// At most who hears of what `reader` does with books.
    func shelfLevel(of reader: Int) -> Visibility { min(level(.shelves, of: reader), level(.activity, of: reader)) }

    func first(of thread: Int) -> Post { posts[threads[thread].posts[0]] }

    func sees(_ viewer: Int, thread: Int) -> Bool {
        !threads[thread].isHidden && (hears(viewer, threads[thread].author) || !first(of: thread).stands)
    }

    /// Whether `viewer` may know of a post that stands: on pages other than that of its thread, their own always.
    func knows(_ viewer: Int, of post: Int) -> Bool {
        let (it, thread) = (posts[post], posts[post].thread)
        guard it.stands, !threads[thread].isHidden else { return false }
        return it.author == viewer || sees(viewer, thread: thread) && hears(viewer, it.author)
    }

    // MARK: The gate

    struct Setting: Sendable {
        let isOff: Bool
        let gatesRereads: Bool

        func opensMore(than other: Setting) -> Bool {
            !other.isOff && (isOff || other.gatesRereads && !gatesRereads)
        }
    }

    func setting(of reader: Int) -> Setting {
        Setting(isOff: isGateOff.contains(reader), gatesRereads: gatesRereads.contains(reader))
    }

    /// How far `viewer` may be told of `work`; under another setting than theirs where one is named.
    func gate(of viewer: Int, in work: Int, under other: Setting? = nil) -> Int {
        let setting = other ?? setting(of: viewer)
        if setting.isOff || reveals.contains(Revealed(reader: viewer, what: .work(work))) {
            return Gate.end
        }
        guard let entry = entries[Tie(viewer, work)] else { return 0 }
        let isRead = entry.timesRead > 0 || entry.status == .read
        let isInItAgain = entry.status == .reading || entry.status == .paused
        if isRead, !(isInItAgain && setting.gatesRereads) { return Gate.end }
        return entry.furthest ?? 0
    }

    func opens(_ post: Int, to viewer: Int) -> Bool {
        let it = posts[post]
        return it.author == viewer || it.scope <= gate(of: viewer, in: threads[it.thread].work)
            || reveals.contains(Revealed(reader: viewer, what: .post(post)))
            || reveals.contains(Revealed(reader: viewer, what: .thread(it.thread)))
    }

    /// Scopes of the posts that stand on the board of a work.
    func scopes(on work: Int) -> [Int] {
        posts.filter { $0.stands && threads[$0.thread].work == work }.map(\.scope)
    }

    func isHidden(_ conversation: Int) -> Bool {
        isBlock(between: conversations[conversation].opener, conversations[conversation].partner)
    }

    func isOpen(_ conversation: Int, to reader: Int) -> Bool {
        conversations[conversation].has(reader) && !isHidden(conversation)
    }
}
