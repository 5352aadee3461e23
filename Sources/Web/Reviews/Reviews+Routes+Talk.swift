import Community
import HTTPTypes
import Hummingbird

// What others make of a review: history, replies, reactions, and friends on a book.
extension Reviews.Routes {
    func addTalk(to routes: inout RouteTable) {
        routes.get(
            "/reviews/{review}/history",
            summary: """
                What a review says and said, last first: of more than \(Limits.reviews.texts) texts the first one and \
                the newest.
                """,
            query: QueryParameter.paging, reply: .page(Self.former, name: "ReviewTextPage"),
            Boards.Routes.history(of: Reviews.Review.self, in: site.community.texts))
        routes.get(
            "/reviews/{review}/replies", summary: "Replies to a review, oldest first.", query: QueryParameter.paging,
            reply: .page(Self.shownReply, name: "ReviewReplyPage"), replies)
        routes.post(
            "/reviews/{review}/replies", limit: .costly,
            summary: """
                Answer a review. What answers one that gives the end away is kept from the same readers. \
                \(Boards.Routes.noneTwice)
                """,
            body: Self.newReply, reply: Self.reply, answer)
        routes.get("/review-replies/{reply}", summary: "One reply to a review.", reply: Self.shownReply, oneReply)
        routes.patch(
            "/review-replies/{reply}", limit: .costly, summary: "Change your reply.", body: Self.newReply,
            reply: Self.reply, edit)
        routes.delete("/review-replies/{reply}", limit: .costly, summary: "Take your reply away.", removeReply)
        routes.put(
            "/reviews/{review}/reactions/{name}",
            summary: "React to somebody's review: like, love, laugh, wow, sad or think. Twice is once.",
            status: .noContent, Boards.Routes.reacting(to: Reviews.Review.self, site.community.reactions.react))
        routes.delete(
            "/reviews/{review}/reactions/{name}", summary: "Take your reaction back.",
            Boards.Routes.reacting(to: Reviews.Review.self, site.community.reactions.unreact))
        routes.get(
            "/books/{book}/friends", access: .reader,
            summary:
                "Your friends on a book: on which shelf they have it, how far they are, their stars and reviews; the latest first.",
            query: QueryParameter.paging, reply: .page(Self.friend, also: ["counts": .map(Self.many)]), friends)
    }

    // MARK: Replies

    /// `GET /reviews/{review}/replies` → 200 with a page; 404.
    @Sendable private func replies(_ request: Request, context: SiteContext) async throws -> Reply {
        let review = try context.id("review", as: Reviews.Review.self)
        let page = try context.page(list: "review-replies", filter: review.text, key: Reviews.ReplyPlace.self)
        let replies = try await store.replies(to: review, for: context.viewer, page: page)
        return try Reply.page(replies, list: "review-replies", filter: review.text, context: context)
    }

    /// `POST /reviews/{review}/replies` `{body}` → 201 with the reply; 403 `account_frozen`, `email_unverified`,
    /// `review_gated`, 404, 409 `duplicate_post`, 422, 429.
    @Sendable private func answer(_ request: Request, context: SiteContext) async throws -> Reply {
        let author = try context.signedIn().account
        let review = try context.id("review", as: Reviews.Review.self)
        let body = try Self.text(try context.form(request))
        return try await context.write(request) {
            let reply = try await store.reply(body, to: review, by: author)
            return try Reply.created(reply, location: "/review-replies/\(reply.id)").tagged(as: reply)
        }
    }

    /// `GET /review-replies/{reply}` → 200 with the reply or its placeholder; 404.
    @Sendable private func oneReply(_ request: Request, context: SiteContext) async throws -> Reply {
        let shown = try await store.reply(try context.id("reply", as: Reviews.Reply.self), for: context.viewer)
        let reply = try Reply.json(.ok, shown)
        guard case .whole(let whole) = shown else { return reply }
        return reply.tagged(as: whole)
    }

    /// `PATCH /review-replies/{reply}` `{body}` → 200 with the reply; 403 `account_frozen`, `email_unverified`,
    /// `review_gated`, 404, also for somebody else's, 412, 422.
    /// Refused with `precondition_failed` too.
    @Sendable private func edit(_ request: Request, context: SiteContext) async throws -> Reply {
        let author = try context.signedIn().account
        let reply = try context.id("reply", as: Reviews.Reply.self)
        let body = try Self.text(try context.form(request))
        let version = Precondition(request.headers[.ifMatch], of: "review-reply")
        return try await context.write(request) {
            let reply = try await store.edit(reply, to: body, by: author, ifVersion: version)
            return try Reply.json(.ok, reply).tagged(as: reply)
        }
    }

    /// `DELETE /review-replies/{reply}` → 204; 403 `account_frozen`, 404, also for somebody else's, 412.
    @Sendable private func removeReply(_ request: Request, context: SiteContext) async throws -> Reply {
        let author = try context.signedIn().account
        let reply = try context.id("reply", as: Reviews.Reply.self)
        let version = Precondition(request.headers[.ifMatch], of: "review-reply")
        return try await context.write(request) {
            try await store.remove(reply, by: author, ifVersion: version)
            return .noContent
        }
    }

    private static func text(_ sent: Form) throws -> String {
        var form = sent
        let body = form.string("body", bytes: 1...Limits.boards.bodyBytes)
        var faults = Faults()
        if !body.isEmpty { Boards.check(body: body, into: &faults) }
        form.add(faults)
        try form.check()
        return body
    }

    // MARK: Friends

    /// `GET /books/{book}/friends` → 200 with a page and `counts`.
    @Sendable private func friends(_ request: Request, context: SiteContext) async throws -> Reply {
        let reader = try context.signedIn().account
        let work = try context.id("book", as: Catalog.Work.self)
        let filter = work.text + " " + reader.text
        let page = try context.page(list: "book-friends", filter: filter, key: TimeKey.self)
        let found = try await store.friends(on: work, of: reader, page: page)
        let counts = Dictionary(found.counts.map { ($0.key.rawValue, $0.value) }) { first, _ in first }
        return try Reply.page(
            found.page, list: "book-friends", filter: filter, context: context, also: ["counts": counts])
    }
}

extension Reviews.Routes {
    private static let many = Schema.integer(1...Limits.friends.friends)
    private static let version = Schema.integer(1...Int(Int32.max))

    private static let newReply = Schema.object("NewReviewReply", ["body": .string(1...Limits.boards.bodyBytes)])

    /// `is_hidden`: a moderator hides it, and its author alone sees it.
    static let reply = Schema.object(
        "ReviewReply",
        [
            "id": .id, "state": Boards.Schemas.shown, "review_id": .id, "number": version,
            "author": Accounts.Routes.reader, "body": .string,
            "html": .string, "is_veiled": .boolean, "has_spoilers": .boolean, "is_hidden": .boolean, "version": version,
            "created_at": .time, "edited_at": .orNull(.time),
        ])

    private static let shownReply = Schema.either([reply, placeholder])

    /// A text that stood under the spoiler mark, for whom that is ahead, is a placeholder with its own id.
    private static let former = Schema.either([
        .object(
            "ReviewText",
            [
                "id": .id, "state": Boards.Schemas.shown, "body": .string, "html": .string, "is_veiled": .boolean,
                "created_at": .time,
            ]),
        placeholder,
    ])

    private static let friend = Schema.object(
        "FriendOnBook",
        [
            "reader": Accounts.Routes.reader,
            "shelf": .orNull(Library.Routes.shelf), "read_count": .orNull(.integer),
            "position": .orNull(.integer(0...Gate.end)), "rating": .orNull(stars), "review_id": .orNull(.id),
            "is_review_gated": .boolean, "changed_at": .time,
        ])
}

extension Reply {
    /// The same reply with the `ETag` of a reply to a review, as this caller is shown it.
    fileprivate func tagged(as reply: Reviews.Reply) -> Reply {
        taggedAsShown("review-reply-\(reply.id)", version: reply.version)
    }
}
