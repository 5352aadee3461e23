import Community
import HTTPTypes
import Hummingbird

extension Messages {
    /// Direct messages over HTTP.
    package struct Routes: Sendable {
        private let site: Site

        package init(_ site: Site) { self.site = site }

        package func add(to routes: inout RouteTable) {
            addConversations(to: &routes)
            addMessages(to: &routes)
            routes.get(
                "/me/settings/messages", access: .reader, summary: "What you want of messages.", reply: Self.settings,
                settings)
            routes.patch(
                "/me/settings/messages", access: .reader,
                summary: """
                    Say whether others see how far you have read. Without it you do not see it of them either.
                    """,
                body: Self.newSettings, reply: Self.settings, changeSettings)
        }

        private func addConversations(to routes: inout RouteTable) {
            routes.put(
                "/me/conversations/with/{username}",
                summary: """
                    Your conversation with a friend, opened where there is none; with a former friend, where there is one.
                    """,
                reply: Self.conversation, open)
            routes.get(
                "/me/conversations", access: .reader, summary: "Your conversations, last active first.",
                query: [
                    QueryParameter("is_archived", .boolean, "Those that you archived (`false` where it is left out).")
                ]
                    + QueryParameter.paging,
                reply: .page(Self.conversation), conversations)
            routes.get(
                "/me/conversations/unread", access: .reader,
                summary: "How many messages you have not read, in all your conversations.", reply: Self.unreadTotal,
                unread)
            routes.get(
                "/conversations/{conversation}", access: .reader, summary: "One of your conversations.",
                reply: Self.conversation, one)
            routes.patch(
                "/conversations/{conversation}", access: .reader,
                summary: "Archive a conversation or mute it. A new message brings it back unless it is muted.",
                body: Self.newFiling, reply: Self.conversation, file)
            routes.put(
                "/conversations/{conversation}/read", access: .reader,
                summary: "Say up to where you have read; it never goes back.", body: Self.newReading,
                reply: Self.reading, read)
        }

        private func addMessages(to routes: inout RouteTable) {
            routes.get(
                "/conversations/{conversation}/messages", access: .reader,
                summary: """
                    The messages of one of your conversations, newest first. A deleted one is in its place, empty; of somebody whom you \
                    may not see now, all are (`is_hidden`).
                    """,
                query: QueryParameter.paging, reply: .page(Self.message), messages)
            routes.post(
                "/conversations/{conversation}/messages",
                summary: "Send a message to a friend. It may answer another one, and carry a book or a post.",
                body: Self.newMessage, reply: Self.message, send)
            routes.get(
                "/messages/{message}", access: .reader, summary: "One message of your conversations.",
                reply: Self.message, oneMessage)
            routes.patch(
                "/messages/{message}", summary: "Make your message say something else.", body: Self.newText,
                reply: Self.message, edit)
            routes.delete(
                "/messages/{message}", summary: "Delete your message, for both; an empty one stays in its place.",
                delete)
        }

        private var store: Store { site.community.messages }

        // MARK: Conversations

        /// `PUT /me/conversations/with/{username}` → 201 with the new conversation, 200 with the one that is there. 403
        /// `not_friends`, `account_frozen`, `email_unverified`; 404 for nobody and for whom you may not see; 422 for
        /// oneself; 429.
        /// Refused with `validation` too.
        @Sendable private func open(_ request: Request, context: SiteContext) async throws -> Reply {
            let identity = try context.signedIn()
            let username = try context.text("username")
            return try await context.write(
                request,
                again: { _ in
                    try context.reply(try await store.conversation(with: username, of: identity.account))
                }
            ) {
                switch try await store.open(with: username, by: identity) {
                case .made(let conversation):
                    try Reply.created(
                        context.part(of: conversation), location: "/conversations/\(conversation.id)")
                case .found(let conversation): try context.reply(conversation)
                }
            }
        }

        /// `GET /me/conversations?is_archived=true|false` → 200 with a page.
        @Sendable private func conversations(_ request: Request, context: SiteContext) async throws -> Reply {
            let reader = try context.signedIn().account
            let isArchived = try context.query().boolean("is_archived") ?? false
            let filter = reader.text + " \(isArchived)"
            let page = try context.page(list: "conversations", filter: filter, key: Key.self)
            let conversations = try await store.conversations(of: reader, archived: isArchived, page: page)
            return try Reply.page(conversations, list: "conversations", filter: filter, context: context)
        }

        /// `GET /me/conversations/unread` → 200 `{unread_count}`.
        @Sendable private func unread(_ request: Request, context: SiteContext) async throws -> Reply {
            try Reply.json(.ok, ["unread_count": try await store.unread(of: try context.signedIn().account)])
        }

        /// `GET /conversations/{conversation}` → 200; 404, also for one that a block hides.
        @Sendable private func one(_ request: Request, context: SiteContext) async throws -> Reply {
            let id = try context.id("conversation", as: Conversation.self)
            return try context.reply(try await store.conversation(id, of: try context.signedIn().account))
        }

        /// `PATCH /conversations/{conversation}` `{is_archived?, is_muted?}` → 200; 403 `account_frozen`, 404, 422.
        @Sendable private func file(_ request: Request, context: SiteContext) async throws -> Reply {
            let reader = try context.signedIn().account
            let id = try context.id("conversation", as: Conversation.self)
            var form = try context.form(request)
            let filing = Filing(
                isArchived: form.optionalBoolean("is_archived"), isMuted: form.optionalBoolean("is_muted"))
            try form.check()
            return try await context.write(
                request, again: { _ in try context.reply(try await store.conversation(id, of: reader)) }
            ) {
                try context.reply(try await store.file(id, filing, by: reader))
            }
        }

        /// `PUT /conversations/{conversation}/read` `{seq}` → 200 with what holds then; 404, 422 beyond the newest
        /// message.
        @Sendable private func read(_ request: Request, context: SiteContext) async throws -> Reply {
            let reader = try context.signedIn().account
            let id = try context.id("conversation", as: Conversation.self)
            var form = try context.form(request)
            let seq = form.integer("seq", in: Self.seqs)
            try form.check()
            return try await context.write(request) {
                try Reply.json(.ok, try await store.read(id, upTo: Int64(seq), by: reader))
            }
        }

        // MARK: Messages

        /// `GET /conversations/{conversation}/messages` → 200 with a page; 404.
        @Sendable private func messages(_ request: Request, context: SiteContext) async throws -> Reply {
            let reader = try context.signedIn().account
            let id = try context.id("conversation", as: Conversation.self)
            let filter = reader.text + " " + id.text
            let page = try context.page(list: "messages", filter: filter, key: Int64.self)
            let messages = try await store.messages(in: id, for: reader, page: page).map(context.part(of:))
            return try Reply.page(messages, list: "messages", filter: filter, context: context)
        }

        /// `POST /conversations/{conversation}/messages` `{body, reply_to?, book_id?, post_id?, note_id?}` → 201; 403
        /// `not_friends`, `account_frozen`, `email_unverified`, `post_gated`, `note_gated`; 404, also for a post or note that the
        /// caller may not see; 422, 429.
        @Sendable private func send(_ request: Request, context: SiteContext) async throws -> Reply {
            let identity = try context.signedIn()
            let id = try context.id("conversation", as: Conversation.self)
            var form = try context.form(request)
            let new = NewMessage(
                form.messageBody(), reply: form.optionalID("reply_to", as: Message.self),
                book: form.optionalID("book_id", as: Catalog.Work.self),
                post: form.optionalID("post_id", as: Boards.Post.self),
                note: form.optionalID("note_id", as: Notebook.Note.self))
            try form.check()
            return try await context.write(
                request,
                again: { done in
                    try context.reply(
                        try await store.message(try done.made(Message.self), for: identity.account))
                }
            ) {
                let message = context.part(of: try await store.send(new, in: id, by: identity))
                return try Reply.created(message, location: "/messages/\(message.id)").tagged(as: message)
            }
        }

        /// `GET /messages/{message}` → 200; 404, also in a conversation that a block hides.
        @Sendable private func oneMessage(_ request: Request, context: SiteContext) async throws -> Reply {
            let id = try context.id("message", as: Message.self)
            return try context.reply(try await store.message(id, for: try context.signedIn().account))
        }

        /// `PATCH /messages/{message}` `{body}` → 200 with the changed or unchanged one; 403 `not_sender` and as above,
        /// 404, 409 `message_deleted`, 412, 422.
        /// Refused with `not_friends`, `precondition_failed` too.
        @Sendable private func edit(_ request: Request, context: SiteContext) async throws -> Reply {
            let identity = try context.signedIn()
            let id = try context.id("message", as: Message.self)
            var form = try context.form(request)
            let body = form.messageBody()
            try form.check()
            let version = Precondition(request.headers[.ifMatch], of: "message")
            return try await context.write(
                request, again: { _ in try context.reply(try await store.message(id, for: identity.account)) }
            ) {
                try context.reply(try await store.edit(id, to: body, by: identity, ifVersion: version))
            }
        }

        /// `DELETE /messages/{message}` → 204, again and again; 403 `not_sender`, `account_frozen`; 404, 412.
        @Sendable private func delete(_ request: Request, context: SiteContext) async throws -> Reply {
            let reader = try context.signedIn().account
            let id = try context.id("message", as: Message.self)
            let version = Precondition(request.headers[.ifMatch], of: "message")
            return try await context.write(request) {
                try await store.delete(id, by: reader, ifVersion: version)
                return .noContent
            }
        }

        // MARK: Settings

        /// `GET /me/settings/messages` → 200.
        @Sendable private func settings(_ request: Request, context: SiteContext) async throws -> Reply {
            try Reply.json(.ok, try await store.settings(of: try context.signedIn().account))
        }

        /// `PATCH /me/settings/messages` `{has_read_receipts?}` → 200 with all of them.
        @Sendable private func changeSettings(_ request: Request, context: SiteContext) async throws -> Reply {
            let reader = try context.signedIn().account
            var form = try context.form(request)
            let receipts = form.optionalBoolean("has_read_receipts")
            try form.check()
            return try await context.write(request) {
                if let receipts { try await store.change(Settings(readReceipts: receipts), of: reader) }
                return try Reply.json(.ok, try await store.settings(of: reader))
            }
        }
    }
}

extension Form {
    /// A message's text, by its rules.
    fileprivate mutating func messageBody() -> String {
        let before = faults.all.count
        let body = string("body", bytes: 0...Limits.body)
        guard faults.all.count == before else { return body }
        var found = Faults()
        Messages.NewMessage.check(body: body, into: &found)
        add(found)
        return body
    }

    /// True or false, or `nil` where the field is left out or null.
    fileprivate mutating func optionalBoolean(_ name: String) -> Bool? {
        guard let value = json(name), value != .null else { return nil }
        return boolean(name, default: false)
    }
}

extension SiteContext {
    /// Without the words of the other for an access token that may not read messages.
    fileprivate func part(of conversation: Messages.Conversation) -> Messages.Conversation {
        mayRead("messages") ? conversation : conversation.withoutMessage
    }

    /// Without the post or note of its card for an access token that may not read boards or notebooks.
    fileprivate func part(of message: Messages.Message) -> Messages.Message {
        switch message.card {
        case .shown? where !mayRead("boards"), .shownNote? where !mayRead("notebook"): message.withoutShown
        default: message
        }
    }

    fileprivate func reply(_ conversation: Messages.Conversation) throws -> Reply {
        try Reply.json(.ok, part(of: conversation))
    }

    fileprivate func reply(_ message: Messages.Message) throws -> Reply {
        let part = part(of: message)
        return try Reply.json(.ok, part).tagged(as: part)
    }
}

extension Reply {
    /// The same reply with an `ETag` of the message: id, whether the viewer sees it, and version. With the card of a
    /// post also of all that is shown: what the post says, and whether it opens, is no version of the message.
    fileprivate func tagged(as message: Messages.Message) -> Reply {
        switch message.card {
        case .shown?, .shownNote?: taggedAsShown("message-\(message.id)", version: message.version)
        default: tagged("message-\(message.id)-\(message.isHidden ? "hidden-" : "")\(message.version)")
        }
    }
}
