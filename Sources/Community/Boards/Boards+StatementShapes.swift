import Postgres

// What statements have in common: what they are bound to, and what comes back.
extension Boards {
    /// Bound to one thread.
    protocol OfThread: PositionalStatement {
        var thread: ID<Thread> { get }
    }

    /// Bound to one post.
    protocol OfPost: PositionalStatement {
        var post: ID<Post> { get }
    }

    /// Bound to a post and one name of reactions to it.
    protocol OfReaction: PositionalStatement {
        var post: ID<Post> { get }
        var reaction: Reaction { get }
    }

    /// Says of a thread since when something is so; with `nil` that it is so no more.
    protocol SinceWhen: PositionalStatement {
        var thread: ID<Thread> { get }
        var at: Timestamp? { get }
    }

    /// Bound to a scope on a book's own board.
    protocol AtScope: PositionalStatement {
        var book: ID<Catalog.Work> { get }
        var scope: Gate.Scope { get }
    }

    /// Bound to a thread and the book on whose own board it stands.
    protocol ThreadOnBoard: PositionalStatement {
        var thread: ID<Thread> { get }
        var book: ID<Catalog.Work> { get }
    }

    /// Bound to one reader.
    protocol OfReader: PositionalStatement {
        var reader: ID<Accounts.Account> { get }
    }

    /// Bound to some posts.
    protocol OfPosts: PositionalStatement {
        var posts: [ID<Post>] { get }
    }

    /// Gives what an account has left, oldest first: `limit` at most, from behind `after`.
    protocol Portion: PositionalStatement where Output == ID<Entity> {
        associatedtype Entity
        var account: ID<Accounts.Account> { get }
        var after: ID<Entity> { get }
        var limit: Int { get }
    }
}

extension Boards.OfThread {
    func bind(to parameters: inout Parameters) { parameters.append(thread) }
}

extension Boards.OfPost {
    func bind(to parameters: inout Parameters) { parameters.append(post) }
}

extension Boards.OfReaction {
    func bind(to parameters: inout Parameters) {
        parameters.append(post)
        parameters.append(reaction)
    }
}

extension Boards.SinceWhen {
    func bind(to parameters: inout Parameters) {
        parameters.append(thread)
        parameters.append(at)
    }
}

extension Boards.AtScope {
    func bind(to parameters: inout Parameters) {
        parameters.append(book)
        parameters.append(scope)
    }
}

extension Boards.ThreadOnBoard {
    func bind(to parameters: inout Parameters) {
        parameters.append(thread)
        parameters.append(book)
    }
}

extension Boards.OfReader {
    func bind(to parameters: inout Parameters) { parameters.append(reader) }
}

extension Boards.OfPosts {
    func bind(to parameters: inout Parameters) { parameters.append(posts) }
}

extension Boards.Portion {
    func bind(to parameters: inout Parameters) {
        parameters.append(account)
        parameters.append(after)
        parameters.append(limit)
    }

    static func decode(_ row: borrowing Row) throws -> ID<Entity> { try row[0] }
}
