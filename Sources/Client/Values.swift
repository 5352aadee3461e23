/// A session that was opened.
public struct SignedIn: Sendable {
    public let account: Account
    /// Speaks for the session; its `token` is what to keep.
    public let client: CommonplaceClient
}

/// A reader as the server shows one.
public struct Account: Decodable, Hashable, Sendable {
    public let id: String
    public let username: String
    public let name: String?
}

/// A book (the work, whatever its edition).
public struct Book: Decodable, Hashable, Sendable {
    public let id: String
    /// `nil` where the catalogue does not know it.
    public let title: String?
}

/// One page of a list.
public struct Page<Item: Decodable & Sendable>: Decodable, Sendable {
    public let items: [Item]
    /// Where the next page begins; `nil` at the end.
    public let nextCursor: String?
    public let prevCursor: String?
}

/// What friends did, and what is said of what one follows; each item says `why` it is there.
public struct Feed: Decodable, Sendable {
    /// Newest first.
    public let items: [JSONValue]
    public let nextCursor: String?
    /// Follow `home` from here and nothing is missed and nothing comes twice that is not in `items`.
    public let streamCursor: String?
}
