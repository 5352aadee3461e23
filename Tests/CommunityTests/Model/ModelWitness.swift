import Foundation
import Postgres

@testable import Community

/// What one server shows to one viewer, as `SmallCommunity.pages` says it.
struct ModelWitness: Sendable {
    let community: Community
    let names: ModelNames
    /// The number of a reader, or `SmallCommunity.anonymous`.
    let viewer: Int

    private var eye: Viewer {
        viewer == SmallCommunity.anonymous ? .anonymous : .reader(names.readers[viewer].account)
    }

    func pages(_ other: Int, _ sorts: [Boards.PostSort], word: String) async throws -> Pages {
        var pages: Pages = [:]
        for (number, work) in names.works.enumerated() {
            let look = try await community.gate.look(at: work, for: eye)
            pages["look w\(number)"] =
                "\(look.gate) \(look.why.rawValue) \(look.ahead) ahead, next \(SmallCommunity.text(look.next))"
            let page = try await community.boards.threads(
                on: work, sort: .newest, for: eye, page: PageRequest(limit: 100))
            let board = page.board
            pages["board w\(number)"] =
                "\(board.gate) of \(board.posts) posts \(board.ahead) ahead "
                + SmallCommunity.text(board.watching?.rawValue)
            pages["threads w\(number)"] = try lines(page.page.items)
        }
        for (number, thread) in names.threads.enumerated() {
            pages["posts t\(number)"] = try await orNotFound {
                let page = try await community.boards.posts(
                    in: thread, sort: sorts[number], for: eye, start: .page(PageRequest(limit: 100)))
                return try page.page.items.map { try line(of: $0) }.joined(separator: "\n")
            }
        }
        let found = try await community.boards.search(
            Boards.WordQuery(word), in: .everywhere, for: eye, page: PageRequest(limit: 100))
        pages["search"] = found.items.map { names[$0.post.id] }.joined(separator: " ")
        guard case .reader(let reader) = eye else { return pages }
        pages.merge(try await circle(of: reader, other)) { one, _ in one }
        pages.merge(try await correspondence(of: reader)) { one, _ in one }
        pages["notifications"] = try await notifications(of: reader)
        pages["feed"] = try await feed(of: reader)
        pages["followed"] = try lines(
            try await community.boards.followedThreads(of: reader, page: PageRequest(limit: 100)).items)
        return pages
    }

    private func orNotFound(_ body: () async throws -> String) async throws -> String {
        do {
            return try await body()
        } catch Failure.notFound {
            return "not_found"
        }
    }

    // MARK: Boards

    private func lines(_ threads: [Boards.ShownThread]) throws -> String {
        try threads.map { shown in
            switch shown {
            case .gated(let placeholder): return try line(of: placeholder, JSON(encoding: shown))
            case .whole(let it):
                let author = SmallCommunity.text(it.author.map { names[$0.id] })
                return "\(names[it.id]) by \(author) \(it.title == nil ? "untitled" : "titled") scope "
                    + "\(it.scope.position), \(it.replies) replies, \(it.reactions) reactions, \(it.posts) posts, "
                    + "unread \(SmallCommunity.text(it.unread)), \(SmallCommunity.text(it.watching?.rawValue))"
                    + (it.isMuted ? ", muted" : "")
            }
        }.joined(separator: "\n")
    }

    private func line(of shown: Boards.Shown) throws -> String {
        switch shown {
        case .gated(let placeholder): return try line(of: placeholder, JSON(encoding: shown))
        case .tombstone(let it): return "\(names[it.id]) #\(it.number) deleted"
        case .whole(let it):
            let given = Reaction.allCases.compactMap { reaction -> String? in
                guard let count = it.reactions[reaction], count > 0 else { return nil }
                return " \(reaction.rawValue) \(count)\(it.ownReactions.contains(reaction) ? " own" : "")"
            }
            return "\(names[it.id]) #\(it.number) in \(names[it.thread]) by \(names[it.author.id]) scope "
                + "\(it.scope.position) says \(it.text.body) answers "
                + "\(SmallCommunity.text(it.parent.map { names[$0] })) quotes "
                + "\(SmallCommunity.text(it.quoted.map { names[$0] })) replies \(it.replies)\(given.joined())"
                + (it.isMuted == true ? " muted" : "")
        }
    }

    /// What stands in the place of something, and what it has beside that.
    private func line(of placeholder: Gate.Placeholder, _ json: JSON) throws -> String {
        let line = "gated \(names.name(of: placeholder.id)) \(placeholder.kind) \(placeholder.position)"
        let members = try JSONDecoder().decode(Members.self, from: Data(json.bytes)).names
        return members == Members.ofPlaceholder ? line : line + " with \(members.sorted())"
    }

    /// The same for what is pushed in the place of a post's event.
    static func placeholder(in json: JSON, _ names: ModelNames) throws -> String {
        struct Gated: Decodable {
            struct Post: Decodable {
                let id: String
                let kind: String
                let position: Int
            }
            let post: Post
        }
        struct Whole: Decodable { let post: Members }
        let post = try JSONDecoder().decode(Gated.self, from: Data(json.bytes)).post
        let whole = try JSONDecoder().decode(Members.self, from: Data(json.bytes)).names
        let members = try JSONDecoder().decode(Whole.self, from: Data(json.bytes)).post.names
        let line = "gated \(names.name(of: post.id)) \(post.kind) \(post.position)"
        let isBare = members == Members.ofPlaceholder && whole == ["post"]
        return isBare ? line : line + " with \(members.sorted()) in \(whole.sorted())"
    }

    // MARK: Friends

    private func circle(of reader: ID<Accounts.Account>, _ other: Int) async throws -> Pages {
        let (friends, username) = (community.friends, names.readers[other].username)
        func named(_ readers: [Accounts.Reader]) -> String {
            readers.map { names[$0.id] }.joined(separator: " ")
        }
        func requests(_ direction: Friends.Request.Direction) async throws -> String {
            try await friends.requests(direction, of: reader, PageRequest(limit: 100)).items
                .map { "\(names[$0.id]) \(names[$0.reader.id])" }.joined(separator: " ")
        }
        return [
            "friends": named(try await friends.friends(of: reader, PageRequest(limit: 100)).items.map(\.reader)),
            "friends of r\(other)": try await orNotFound {
                named(try await friends.friends(of: username, for: reader, PageRequest(limit: 100)).items.map(\.reader))
            },
            "friends shared with r\(other)": try await orNotFound {
                named(
                    try await friends.mutualFriends(with: username, for: reader, PageRequest(limit: 100)).items
                        .map(\.reader))
            },
            "requests in": try await requests(.in),
            "requests out": try await requests(.out),
            "blocks": named(try await friends.blocks(of: reader, PageRequest(limit: 100)).items.map(\.reader)),
            "mutes": named(try await friends.mutes(of: reader, PageRequest(limit: 100)).items.map(\.reader)),
        ]
    }

    // MARK: Messages

    private func correspondence(of reader: ID<Accounts.Account>) async throws -> Pages {
        let messages = community.messages
        var pages: Pages = ["unread messages": "\(try await messages.unread(of: reader))"]
        let list = try await messages.conversations(of: reader, archived: false, page: PageRequest(limit: 100))
        pages["conversations"] = list.items.map { it in
            "\(names[it.id]) with \(SmallCommunity.text(it.reader.map { names[$0.id] }))"
                + "\(it.canWrite ? "" : ", closed"), unread \(it.unread), read \(it.readSeq), theirs "
                + "\(SmallCommunity.text(it.theirReadSeq)), last \(it.lastSeq)"
        }.joined(separator: "\n")
        for (number, conversation) in names.conversations.enumerated() {
            pages["messages c\(number)"] = try await orNotFound {
                let page = try await messages.messages(in: conversation, for: reader, page: PageRequest(limit: 100))
                return try page.items.map { try line(of: $0) }.joined(separator: "\n")
            }
        }
        return pages
    }

    private func line(of message: Messages.Message) throws -> String {
        var card = ""
        if case .shown(let post, let shown)? = message.card {
            card = " card \(names[post]) " + (try shown.map { try line(of: $0) } ?? "gone")
        }
        return "\(names[message.id]) by \(SmallCommunity.text(message.author.map { names[$0.id] })) "
            + "\(SmallCommunity.text(message.body))\(card)"
    }

    // MARK: Notifications and feed

    private func notifications(of reader: ID<Accounts.Account>) async throws -> String {
        let unread = try await community.notifications.unread(of: reader)
        let items = try await community.notifications.list(of: reader, page: PageRequest(limit: 100)).items
        let lines = try items.map { item in
            var line =
                "\(item.kind?.rawValue ?? "?") \(item.isRead ? "read" : "unread") by \(item.actorCount): "
                + item.actors.map { names[$0.id] }.joined(separator: " ")
            switch item.post {
            case nil: break
            case .whole(let id, _, _): line += ", \(names[id]) says \(SmallCommunity.text(item.excerpt))"
            case .gated(let placeholder): line += ", " + (try self.line(of: placeholder, JSON(encoding: item.post)))
            }
            switch item.thread {
            case nil: break
            case .whole(let id, let title): line += ", \(names[id]) \(title == nil ? "untitled" : "titled")"
            case .gated(let placeholder): line += ", " + (try self.line(of: placeholder, JSON(encoding: item.thread)))
            }
            return (line: line, at: item.at)
        }
        let isSorted = zip(lines, lines.dropFirst()).allSatisfy { $0.at >= $1.at }
        let sorted = lines.sorted { ($1.at, $0.line) < ($0.at, $1.line) }.map(\.line).joined(separator: "\n")
        return "\(unread) unread\n\(sorted)\(isSorted ? "" : "\nnot newest first")"
    }

    private func feed(of reader: ID<Accounts.Account>) async throws -> String {
        try await community.feed.home(of: reader, page: PageRequest(limit: 100)).page.items.map { item in
            let status = item.kind.rawValue.replacing("shelf.", with: "")
            let (reader, book) = (item.reader.map { names[$0.id] }, item.book.map { names[$0.id] })
            return "\(SmallCommunity.text(reader)) \(status) \(SmallCommunity.text(book)), now "
                + "\(SmallCommunity.text(item.shelf?.status.rawValue)) \(item.shelf?.timesRead ?? 0)"
        }.joined(separator: "\n")
    }
}

/// The members of an object, whatever they hold.
private struct Members: Decodable {
    static let ofPlaceholder: Set = ["id", "state", "kind", "position"]

    let names: Set<String>

    private struct Name: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init?(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    init(from decoder: any Decoder) throws {
        names = Set(try decoder.container(keyedBy: Name.self).allKeys.map(\.stringValue))
    }
}
