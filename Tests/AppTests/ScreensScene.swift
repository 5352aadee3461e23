import Community
import HTTPTypes
import Postgres
import TestSupport
import Testing
import Web

@testable import App

/// The demonstration, and a reader of it in the middle of two books, who does there what the demonstration has not done.
struct ScreensScene {
    /// The first reader of the demonstration.
    let ann: TestApp
    /// The book that is read most, and the demonstration's e-book.
    let book, guide: String
    /// Ann's friend in the demonstration.
    let friend: String
    /// Ann's own, each about `book`.
    let theme, folder, note, photo, list: String

    init(_ app: TestApp) async throws {
        let world = app.world
        let loaded = try await Self.demonstration(in: world)
        let guide = try #require(loaded.guide)
        try await DemoGuide.give(in: world.community, of: guide)
        try #require(loaded.signIns.count == 2)
        let (ann, id) = try await Self.signIn(loaded.signIns[0], app)
        let ben = try await Self.signIn(loaded.signIns[1], app).reader
        let most = try await ann.get("/api/v1/books?sort=popularity&limit=1").json.at("items.0.id")
        let work = try #require(most.text.flatMap(ID<Catalog.Work>.init(text:)))
        (self.ann, book, self.guide, friend) = (ann, work.text, guide.text, loaded.signIns[1].username)

        let keeper = try await world.given.account("lib", role: .librarian)
        _ = try await world.given.copy(of: work, in: .server, by: keeper)
        let stranger = app.as(try await world.given.account("cat"))
        photo = try await world.given.photo(of: work, by: id, comment: "page 12").text
        try await Self.others(ben, stranger, work, reader: loaded.signIns[0].username)
        try await Self.reading(ann, work, guide: guide)
        let path = "/api/v1/books/\(work)"
        folder = try await Self.made(ann.post(path + "/folders", ["name": "Chapter one"]))
        _ = try await Self.made(ann.post(path + "/folders", ["name": "Names", "parent_id": .string(folder)]))
        let written: JSONValue = [
            "title": "First words", "theme_names": ["Memory"],
            "items": [["kind": "text", "body": "How it begins."], ["kind": "picture", "photo_id": .string(photo)]],
        ]
        note = try await Self.made(ann.post(path + "/notes", written))
        _ = try await Self.made(ann.post(path + "/notes", ["title": "Filed", "folder_id": .string(folder)]))
        theme = try #require(try await ann.get(path + "/themes").json.at("items.0.id").text)
        list = try await Self.made(ann.post("/api/v1/me/lists", ["title": "For the train"]))
        try await Self.done(ann.put("/api/v1/lists/\(list)/books/\(work)", [:]))
        try await world.community.ranking.refresh()
        try await world.community.ranking.heatBoards()
        try await world.community.suggestions.refresh()
    }

    /// Addresses of a call of the table, one for each shelf where it names any.
    func paths(of call: String) -> [String] {
        let path = call.replacing("/books/{book}/open", with: "/books/\(guide)/open").replacing("{book}", with: book)
            .replacing("{username}", with: friend).replacing("{theme}", with: theme).replacing("{folder}", with: folder)
            .replacing("{note}", with: note).replacing("{photo}", with: photo).replacing("{list}", with: list)
        return path.contains("{shelf}")
            ? ["want", "reading", "read"].map { path.replacing("{shelf}", with: $0) } : [path]
    }

    /// What `commonplace demo` loads. Each of its transactions holds the acts of many readers and locks in their order,
    /// because nobody else is there yet. So it has connections whose locks are not watched.
    private static func demonstration(in world: World) async throws -> DemoLoader.Loaded {
        let database = Database(world.lane.settings(), logger: world.logger)
        let (own, community) = (world.services, world.community)
        let services = Services(
            database: database, clock: own.clock, random: own.random, ids: own.ids, settings: own.settings,
            logger: own.logger)
        let loader = DemoLoader(
            Community(services, mailer: community.mailer, media: community.media.facilities, endings: []), node: 1)
        do {
            let loaded = try await loader.load(try .embedded(), progress: Progress(isTerminal: false))
            await database.shutdown()
            return loaded
        } catch {
            await database.shutdown()
            throw error
        }
    }

    private static func signIn(
        _ signIn: DemoLoader.SignIn, _ app: TestApp
    ) async throws -> (reader: TestApp, id: ID<Accounts.Account>) {
        let answer = try await app.post(
            "/api/v1/sessions", ["login": .string(signIn.username), "password": .string(signIn.password)])
        let id = answer.json.at("account.id").text.flatMap(ID<Accounts.Account>.init(text:))
        return (app.with(token: try #require(answer.json["token"]?.text)), try #require(id))
    }

    /// What a friend and a stranger do that Ann sees.
    private static func others(
        _ friend: TestApp, _ stranger: TestApp, _ work: ID<Catalog.Work>, reader: String
    ) async throws {
        let thread: JSONValue = ["title": "The first page", "body": "Who tells this?", "scope": "free"]
        let review: JSONValue = ["rating": 4, "body": "Slow, and good.", "visibility": "public"]
        // What the page of a friend shows.
        let list = try await made(friend.post("/api/v1/me/lists", ["title": "Lent out"]))
        try done(await friend.put("/api/v1/lists/\(list)/books/\(work)", [:]))
        try done(await friend.put("/api/v1/books/\(work)/shelf", ["shelf": "read"]))
        try done(await friend.put("/api/v1/books/\(work)/favourite", [:]))
        let conversation = try await made(friend.put("/api/v1/me/conversations/with/\(reader)"))
        for answer in [
            try await friend.post("/api/v1/books/\(work)/threads", thread),
            try await friend.put("/api/v1/books/\(work)/review", review),
            try await friend.post("/api/v1/conversations/\(conversation)/messages", ["body": "Did you finish?"]),
            try await stranger.post("/api/v1/me/friend-requests", ["username": .string(reader)]),
        ] { try done(answer) }
    }

    /// Ann borrows a book and is in the middle of it, and of the demonstration's e-book.
    private static func reading(_ ann: TestApp, _ work: ID<Catalog.Work>, guide: ID<Catalog.Work>) async throws {
        let (path, other) = ("/api/v1/books/\(work)", "/api/v1/books/\(guide)")
        let ebook = try #require(try await ann.get(other + "/open").json.at("ebook.id").text)
        let second: JSONValue = ["ebook": .string(ebook), "page": 2]
        for answer in [
            try await ann.post(path + "/checkout"), try await ann.put(path + "/shelf", ["shelf": "reading"]),
            try await ann.put(path + "/favourite", [:]),
            try await ann.put(path + "/review", ["rating": 4.5, "body": "Mine."]),
            try await ann.put(path + "/position", ["page": 20, "page_count": 300, "device": "phone"]),
            try await ann.put(other + "/shelf", ["shelf": "reading"]),
            try await ann.put(other + "/position", ["ebook": .string(ebook), "page": 2, "device": "phone"]),
            try await ann.post(other + "/bookmarks", second), try await ann.get("/api/v1/search?title=emma"),
            try await ann.post("/api/v1/me/libraries", ["name": "ours"]),
        ] { try done(answer) }
    }

    @discardableResult
    private static func done(_ answer: TestAnswer) throws -> TestAnswer {
        try #require(answer.status.kind == .successful, "\(answer.text)")
        return answer
    }

    /// The id of what a call made.
    private static func made(_ answer: TestAnswer) throws -> String { try #require(try done(answer).json["id"]?.text) }
}
