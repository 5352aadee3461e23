import JSONWriting
import MarkdownReading
import Postgres

extension Boards {
    /// Where words are looked for.
    package enum SearchPlace: Hashable, Sendable {
        case everywhere
        /// The board of a book, or of what it was merged into.
        case book(ID<Catalog.Work>)
        case thread(ID<Thread>)

        /// What a cursor is bound to.
        package var identity: String {
            switch self {
            case .everywhere: "everywhere"
            case .book(let id): "book " + id.text
            case .thread(let id): "thread " + id.text
            }
        }
    }

    /// A post that was found.
    package struct Found: Hashable, Sendable {
        package let post: Post
        /// A line of its text with the words, `Limits.boardSearch.excerpt` characters at most.
        package let excerpt: String
        package let thread: FoundThread
    }

    package struct FoundThread: Hashable, Sendable {
        package let id: ID<Thread>
        /// `nil` where the thread, or the post that opens it, is not there for the viewer or does not open to them.
        package let title: String?
        package let book: ID<Catalog.Work>?
    }
}

// Searching, newest first: what the order by relevance would tell of posts that a reader may not see, and whether a
// page is done, would need all of them.
//
// A page costs little however common the words are: the newest posts are looked at first, where common words are soon
// found; then the index of words is asked, which knows of rare ones at once; and where it gives too many, of which the
// viewer sees few, more of the newest posts are looked at. A search that finds nothing there ends: its answer is the
// one for words that nobody wrote.
extension Boards.Store {
    /// Posts with the words of `query` that the viewer is shown whole, newest first. A page may be short and go on.
    /// Throws `.notFound` for a thread that the viewer does not see; a book that is unknown has no posts.
    package func search(
        _ query: Boards.WordQuery, in place: Boards.SearchPlace, for viewer: Viewer, page: PageRequest<ID<Boards.Post>>
    ) async throws -> Page<Boards.Found, ID<Boards.Post>> {
        switch place {
        case .everywhere:
            return try await search(Sought(query: query, viewer: viewer, range: .everywhere, place: 0), page)
        case .book(let book):
            let board = try await services.database.one(Boards.Statements.BoardTarget(book: book))
            return try await search(Sought(query: query, viewer: viewer, range: .onBoard, place: board), page)
        case .thread(let thread):
            let seen = try await services.database.first(Boards.Statements.ThreadSeen(viewer: viewer, thread: thread))
            guard seen != nil else { throw Failure.notFound("thread \(thread)") }
            return try await search(
                Sought(query: query, viewer: viewer, range: .inThread, place: thread.rawValue), page)
        }
    }

    private struct Sought: Sendable {
        let query: Boards.WordQuery
        let viewer: Viewer
        let range: Boards.SearchRange
        let place: Int64
    }

    private func search(
        _ sought: Sought, _ page: PageRequest<ID<Boards.Post>>
    ) async throws -> Page<Boards.Found, ID<Boards.Post>> {
        // Outsiders see nothing that has an author.
        guard sought.viewer != .outsider else { return Page(items: [], next: nil, previous: nil) }
        let span =
            switch page.start {
            case .first: Span(place: ID<Boards.Post>.max, direction: .onward, limit: page.limit + 1)
            case .after(let place): Span(place: place, direction: .onward, limit: page.limit + 1)
            case .before(let place): Span(place: place, direction: .back, limit: page.limit + 1)
            }
        let part = try await look(for: sought, span)
        let ids = Array(part.posts.prefix(page.limit))
        let goesOn = part.isCut || part.posts.count > page.limit
        let items = try await found(ids, of: sought.query, for: sought.viewer)
        switch page.start {
        case .first:
            return Page(items: items, next: goesOn ? ids.last : nil, previous: nil)
        case .after(let place):
            return Page(items: items, next: goesOn ? ids.last : nil, previous: ids.first ?? place)
        case .before:
            return Page(items: items, next: ids.first ?? .max, previous: goesOn ? ids.last : nil)
        }
    }

    /// Posts in the direction of travel, one more than asked for where there are.
    private struct Part {
        var posts: [ID<Boards.Post>]
        /// The last one that was looked at.
        var last: ID<Boards.Post>
        /// There may be more behind it. A list in which nothing was found ends all the same: whether it goes on would
        /// tell how often words stand in what the viewer may not see.
        var isCut = true
    }

    private func look(for sought: Sought, _ span: Span<ID<Boards.Post>>) async throws -> Part {
        func walk(_ depth: Int, _ part: inout Part) async throws {
            let wanted = span.limit - part.posts.count
            guard part.isCut, wanted > 0 else { return }
            let looked = try await services.database.one(
                Boards.Statements.Walked(
                    viewer: sought.viewer, query: sought.query, range: sought.range, place: sought.place,
                    span: Span(place: part.last, direction: span.direction, limit: wanted), depth: depth))
            part.posts += looked.found
            part.isCut = looked.found.count < wanted && looked.count == depth
            part.last = looked.last ?? part.last
        }
        let isEverywhere = sought.range == .everywhere
        var part = Part(posts: [], last: span.place)
        try await walk(Limits.boardSearch.walk, &part)
        // Where as many were found as make it likely that a page of them is not far behind, that is nearer than the
        // index, which gives all that there are; but what it gives within a thread or a board is little.
        let reach = (Limits.boardSearch.walk + Limits.boardSearch.depth) / Limits.boardSearch.walk
        let isNear = isEverywhere && part.posts.count * reach >= span.limit
        if isNear { try await walk(Limits.boardSearch.depth, &part) }
        guard part.isCut else { return part }
        let indexed = try await services.database.one(
            Boards.Statements.Indexed(
                viewer: sought.viewer, query: sought.query, span: span,
                loose: sought.query.loose(in: isEverywhere ? nil : sought.place)))
        guard indexed.count > Limits.boardSearch.hits else {
            return Part(posts: indexed.found, last: span.place, isCut: false)
        }
        if !isNear { try await walk(Limits.boardSearch.depth, &part) }
        part.isCut = part.isCut && !part.posts.isEmpty
        return part
    }

    /// What is shown of posts that were found, newest first.
    private func found(
        _ ids: [ID<Boards.Post>], of query: Boards.WordQuery, for viewer: Viewer
    ) async throws -> [Boards.Found] {
        guard !ids.isEmpty else { return [] }
        let (posts, threads) = try await services.database.pipeline(
            Boards.Statements.FoundPosts(viewer: viewer, ids: ids),
            Boards.Statements.FoundThreads(viewer: viewer, ids: ids))
        let byID = Dictionary(threads.map { ($0.id, $0) }) { first, _ in first }
        return posts.compactMap { shown in
            guard case .whole(let post) = shown, let thread = byID[post.thread] else { return nil }
            // Rendering the veiled source gives the same plain words as rendering all of it.
            let plain = Markdown.render(post.text.body).plain
            return Boards.Found(post: post, excerpt: query.excerpt(of: plain), thread: thread)
        }
    }
}

extension Boards.FoundThread: JSONForm {
    package func put(into object: JSONObject) {
        object.put("id", id)
        object.put("title", title)
        object.put("book_id", book)
    }
}

extension Boards.Found: Encodable {}
