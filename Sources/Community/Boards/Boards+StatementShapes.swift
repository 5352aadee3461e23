import Postgres

// What statements of the end of an account have in common: what they are bound to, and what comes back.
extension Boards {
    /// Bound to one reader.
    protocol OfReader: Statement {
        var reader: ID<Accounts.Account> { get }
    }

    /// Bound to some posts.
    protocol OfPosts: Statement {
        var posts: [ID<Post>] { get }
    }

    /// Gives what an account has left, oldest first: `limit` at most, from behind `after`.
    protocol Portion: Statement where Output == ID<Entity> {
        associatedtype Entity
        var account: ID<Accounts.Account> { get }
        var after: ID<Entity> { get }
        var limit: Int { get }
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
