import Community

/// What the servers call the readers, books and posts of a `SmallCommunity`, in its order, and the other way round.
struct ModelNames: Sendable {
    let readers: [Accounts.Identity]
    let works: [ID<Catalog.Work>]
    private(set) var threads: [ID<Boards.Thread>] = []
    private(set) var posts: [ID<Boards.Post>] = []
    private(set) var requests: [ID<Friends.Request>] = []
    private(set) var conversations: [ID<Messages.Conversation>] = []
    private(set) var messages: [ID<Messages.Message>] = []
    private var names: [Int64: String] = [:]

    init(readers: [Accounts.Identity], works: [ID<Catalog.Work>]) {
        self.readers = readers
        self.works = works
        for (number, reader) in readers.enumerated() { names[reader.account.rawValue] = "r\(number)" }
        for (number, work) in works.enumerated() { names[work.rawValue] = "w\(number)" }
    }

    /// `r1`, `p12`, …; what is of another community is `?` with its id.
    subscript<Entity>(_ id: ID<Entity>) -> String { name(of: id.rawValue) }

    func name(of id: Int64) -> String { names[id] ?? "?\(id)" }
    func name(of id: String?) -> String { id.flatMap(Int64.init).map(name) ?? "-" }

    /// `book:42` as `book w0`.
    func topic(_ name: String) -> String {
        let parts = name.split(separator: ":")
        return parts.count == 2 ? "\(parts[0]) \(self.name(of: String(parts[1])))" : name
    }

    mutating func add(_ thread: ID<Boards.Thread>) {
        names[thread.rawValue] = "t\(threads.count)"
        threads.append(thread)
    }

    mutating func add(_ post: ID<Boards.Post>) {
        names[post.rawValue] = "p\(posts.count)"
        posts.append(post)
    }

    /// Nothing for one that is known.
    mutating func add(_ request: ID<Friends.Request>) {
        guard names[request.rawValue] == nil else { return }
        names[request.rawValue] = "q\(requests.count)"
        requests.append(request)
    }

    /// Nothing for one that is known.
    mutating func add(_ conversation: ID<Messages.Conversation>) {
        guard names[conversation.rawValue] == nil else { return }
        names[conversation.rawValue] = "c\(conversations.count)"
        conversations.append(conversation)
    }

    mutating func add(_ message: ID<Messages.Message>) {
        names[message.rawValue] = "m\(messages.count)"
        messages.append(message)
    }
}
