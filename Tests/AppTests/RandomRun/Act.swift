import TestSupport

@testable import Client

/// One call that changes something.
struct Act: Sendable, CustomStringConvertible {
    /// What readers do, the last two aside.
    enum Kind: String, Sendable, CaseIterable {
        case shelve, unshelve, rate, unrate, review, unreview
        case favour, unfavour, recommend, unrecommend
        case position, mark, unmark
        case list, changeList, putOnList, takeOffList, unlist
        case checkOut, giveBack, addCopy, askForCopy, settleLoan
        case ask, accept, decline, part, block, unblock, setPrivacy
        case openThread, reply, editPost, deletePost, react, unreact, spoils
        case reveal, unreveal, setGate, watch, unwatch
        case mute, unmute, converse, message, editMessage, deleteMessage, readMessages, readNotifications
        case makeGroup, joinGroup, leaveGroup, postInGroup
        case answerReview, reactToReview
        case leave
        /// By a librarian.
        case merge

        /// How many in a thousand or so are of this kind.
        private var weight: Int {
            switch self {
            case .shelve: 140
            case .unshelve, .unrate, .unreview: 25
            case .rate: 110
            case .review, .position, .checkOut, .giveBack: 60
            case .favour, .recommend, .accept, .ask, .putOnList, .settleLoan: 50
            case .unfavour, .unrecommend, .mark, .askForCopy: 30
            case .unmark, .changeList, .takeOffList, .addCopy, .decline, .block, .unblock, .part, .setPrivacy: 15
            case .reply: 130
            case .react, .message: 60
            case .openThread, .editPost, .reveal, .watch, .converse, .postInGroup: 30
            case .deletePost, .joinGroup, .answerReview, .readMessages: 20
            case .unreact, .spoils, .unreveal, .setGate, .unwatch, .makeGroup, .reactToReview: 15
            case .mute, .unmute, .editMessage, .deleteMessage, .readNotifications, .leaveGroup: 10
            case .list: 20
            case .unlist: 8
            case .leave: 3
            case .merge: 0
            }
        }

        static func drawn(by random: TestRandom) -> Kind {
            var left = random.number(in: 0..<allCases.reduce(0) { $0 + $1.weight })
            return allCases.first { kind in
                left -= kind.weight
                return left < 0
            } ?? .shelve
        }
    }

    let method: HTTPCall.Method
    /// After `/api/v1`.
    let path: String
    let body: JSONValue?

    init(_ method: HTTPCall.Method, _ path: String, _ body: JSONValue? = nil) {
        self.method = method
        self.path = path
        self.body = body
    }

    var description: String { "\(method.rawValue) \(path)" }

    private static let levels = ["private", "friends", "members", "public"].map(JSONValue.string)

    /// An act that needs to know no more than a book and another reader; `nil` for the others.
    init?(_ kind: Kind, _ book: String, _ other: Seat, _ random: TestRandom) {
        let level = Self.levels[random.number(in: 0..<4)]
        let stars = JSONValue.number(Double(random.number(in: 1...20)) / 4)
        let at = "/books/\(book)"
        switch kind {
        case .shelve: self = Self.shelving(at, level, random)
        case .unshelve: self.init(.delete, at + "/shelf")
        case .rate: self.init(.put, at + "/rating", ["rating": stars])
        case .unrate: self.init(.delete, at + "/rating")
        case .review:
            let isSecret = random.once(in: 3)
            let text = isSecret ? Secret.text(random, in: .review) : "Thought number \(random.number(in: 0..<1_000))."
            self.init(
                .put, at + "/review",
                [
                    "rating": random.once(in: 3) ? .null : stars, "body": .string(text), "visibility": level,
                    "has_spoilers": .bool(isSecret),
                ])
        case .unreview: self.init(.delete, at + "/review")
        case .favour: self.init(.put, at + "/favourite", ["visibility": level])
        case .unfavour: self.init(.delete, at + "/favourite")
        case .recommend: self.init(.put, at + "/recommendation", ["visibility": level])
        case .unrecommend: self.init(.delete, at + "/recommendation")
        case .position:
            let percent = JSONValue.number(Double(random.number(in: 0...100)))
            self.init(.put, at + "/position", ["percent": percent, "device": .string("phone")])
        case .mark:
            let percent = JSONValue.number(Double(random.number(in: 0...100)))
            self.init(.post, at + "/bookmarks", ["percent": percent, "label": .string("Here")])
        case .list: self.init(.post, "/me/lists", ["title": .string("A list"), "visibility": level])
        case .checkOut: self.init(.post, at + "/checkout")
        case .giveBack: self.init(.post, at + "/return")
        case .ask: self.init(.post, "/me/friend-requests", ["username": .string(other.username)])
        case .part: self.init(.delete, "/me/friends/\(other.username)")
        case .block: self.init(.put, "/me/blocks/\(other.username)")
        case .unblock: self.init(.delete, "/me/blocks/\(other.username)")
        case .setPrivacy:
            let kinds = [
                "shelves", "lists", "reviews", "favourites", "activity", "position", "library", "discussions",
            ]
            self.init(.patch, "/me/settings", ["privacy": .object([kinds[random.number(in: 0..<8)]: level])])
        default: return nil
        }
    }

    private static func shelving(_ book: String, _ level: JSONValue, _ random: TestRandom) -> Act {
        let statuses = ["want", "reading", "paused", "read", "stopped"]
        var body: [String: JSONValue] = ["shelf": .string(statuses[random.number(in: 0..<5)])]
        if random.once(in: 4) { body["visibility"] = random.once(in: 4) ? .null : level }
        if random.once(in: 8) { body["note"] = .string("Because.") }
        return Act(.put, book + "/shelf", .object(body))
    }

    /// Something done to a list or to the books on it.
    static func onList(_ kind: Kind, _ list: String, _ book: String, _ random: TestRandom) -> Act {
        switch kind {
        case .unlist: Act(.delete, "/lists/\(list)")
        case .takeOffList: Act(.delete, "/lists/\(list)/books/\(book)")
        case .changeList: Act(.patch, "/lists/\(list)", ["visibility": levels[random.number(in: 0..<4)]])
        default: Act(.put, "/lists/\(list)/books/\(book)", ["note": .string("Next.")])
        }
    }
}
