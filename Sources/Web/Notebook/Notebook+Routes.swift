import Community
import HTTPTypes
import Hummingbird
import JSONWriting

extension Notebook {
    /// Notes, themes and folders over HTTP.
    package struct Routes: Sendable {
        let site: Site

        package init(_ site: Site) { self.site = site }

        var store: Store { site.community.notebook }

        package func add(to routes: inout RouteTable) {
            routes.get(
                "/books/{book}/notebook", access: .reader,
                summary: """
                    Your notebook about a book: the book, your themes, and the folders and notes that stand in no folder, \
                    of each the first page, with the cursors of their own lists.
                    """,
                reply: Self.notebook, notebook)
            routes.get(
                "/me/notebooks", access: .reader,
                summary: "The books that you keep notes, themes or folders about, the one changed last first.",
                query: QueryParameter.paging, reply: .page(Self.kept), notebooks)
            routes.get(
                "/books/{book}/notes",
                summary: """
                    Notes about a book, newest first: your own, all or those of one theme, in one folder or in none; or \
                    those that your friends or all readers show you.
                    """,
                query: [Self.of, Self.inTheme, Self.inFolder] + QueryParameter.paging, reply: Self.notePage, notes)
            routes.post(
                "/books/{book}/notes", access: .reader,
                summary: """
                    Write a note about a book. It is private unless `visibility` or your setting for notes says \
                    otherwise. Themes of `theme_names` are made where the book has none of that name.
                    """,
                body: Self.newNote, reply: Self.note, write)
            routes.get("/notes/{note}", summary: "A note with its items.", reply: Self.shown, one)
            routes.patch(
                "/notes/{note}", access: .reader,
                summary: "Change your note, its themes, its folder or who sees it. Items are changed one by one.",
                body: Self.noteChange, reply: Self.note, change)
            routes.delete("/notes/{note}", summary: "Delete your note. Photographs in it stay.", remove)
            routes.get(
                "/readers/{username}/notes", summary: "The notes that a reader shows you, newest first.",
                query: QueryParameter.paging,
                reply: .page(Self.listed, name: "ReaderNotePage", also: ["is_private": .boolean]), ofReader)
            routes.put(
                "/notes/{note}/reactions/{name}", access: .reader,
                summary: "React to somebody's note: like, love, laugh, wow, sad or think; twice is once.",
                status: .noContent, Boards.Routes.reacting(to: Note.self, site.community.reactions.react))
            routes.delete(
                "/notes/{note}/reactions/{name}", summary: "Take your reaction to a note back.",
                Boards.Routes.reacting(to: Note.self, site.community.reactions.unreact))
            routes.get(
                "/me/notebook/search", access: .reader, limit: .search,
                summary: """
                    Find what you keep, newest first: titles, texts and quotes of notes, words of photographs, labels of \
                    bookmarks. Accents and case do not matter; where nothing has the words, one wrong letter in words of \
                    five letters and more does not matter either (`is_near`). The last word may go on.
                    """,
                query: [Self.q, Self.inBook, Self.inTheme, Self.ofKind] + QueryParameter.paging,
                reply: .page(Self.hit), find)
            routes.post(
                "/notes/{note}/share",
                summary: """
                    Share the words of your note: as a thread of kind `quote` on the book's board, which gives away as much \
                    as they do, or, with `username`, as a card in a message to a friend. `item_id`: only this item.
                    """,
                body: Self.sharing, reply: Self.shared, share)
            addItems(to: &routes)
            addExchange(to: &routes)
            addThemes(to: &routes)
            addFolders(to: &routes)
        }

        // MARK: Notebooks

        /// `GET /books/{book}/notebook` → 200; 404.
        @Sendable private func notebook(_ request: Request, context: SiteContext) async throws -> Reply {
            let reader = try context.signedIn().account
            let work = try context.id("book", as: Catalog.Work.self)
            async let kept = store.kept(about: work, of: reader)
            let whole = Limits.page.upperBound
            async let themes = store.themes(for: work, of: reader, page: PageRequest(limit: whole))
            async let folders = store.folders(for: work, .outside, of: reader, page: PageRequest(limit: whole))
            async let notes = store.notes(
                about: work, among: .outside, of: reader, page: PageRequest(limit: Limits.notebook.screen))
            let filter = reader.text + " " + work.text
            return try Reply.json(
                .ok,
                Screen(
                    kept: try await kept,
                    themes: try Reply.body(
                        try await themes, list: "themes", filter: filter, context: context),
                    folders: try Reply.body(
                        try await folders, list: "folders", filter: filter + " outside", context: context),
                    notes: try Reply.body(
                        try await notes, list: "own-notes", filter: filter + " outside", context: context)))
        }

        private struct Screen: JSONForm {
            let kept: Kept
            let themes: Reply.PageBody<Theme>
            let folders: Reply.PageBody<Folder>
            let notes: Reply.PageBody<Listed>

            func put(into object: JSONObject) {
                kept.put(into: object)
                object.put("themes", themes)
                object.put("folders", folders)
                object.put("notes", notes)
            }
        }

        /// `GET /me/notebooks` → 200 with a page.
        @Sendable private func notebooks(_ request: Request, context: SiteContext) async throws -> Reply {
            let reader = try context.signedIn().account
            let page = try context.page(list: "notebooks", filter: reader.text, key: TimeKey.self)
            return try Reply.page(
                try await store.notebooks(of: reader, page: page), list: "notebooks", filter: reader.text,
                context: context)
        }

        /// `GET /me/notebook/search?q=&book_id=&theme_id=&kind=` → 200 with a page; 400 `invalid_cursor`, 422.
        @Sendable private func find(_ request: Request, context: SiteContext) async throws -> Reply {
            let reader = try context.signedIn().account
            let query = try context.query()
            guard let text = query["q"] else { throw Failure.invalid("?q", .required, "must be given") }
            let kinds = OwnWords.Kind.allCases.filter { context.mayRead($0.area) }
            let kind = try query.choice("kind", OwnWords.Kind.self)
            if let kind { try context.require(.read, kind.area) }
            let sought = Sought(
                try Boards.WordQuery(text), work: try query.id("book_id", as: Catalog.Work.self),
                theme: try query.id("theme_id", as: Theme.self), kinds: kind.map { [$0] } ?? kinds)
            let filter = reader.text + " " + sought.identity
            let page = try context.page(list: "notebook-search", filter: filter, key: HitKey.self)
            return try Reply.page(
                try await store.find(sought, of: reader, page: page), list: "notebook-search", filter: filter,
                context: context)
        }

        // MARK: Notes

        /// `GET /books/{book}/notes?of=me|friends|all&theme_id=&folder_id=` → 200 with a page; 401 for your own and for
        /// friends' without signing in, 422 for a theme or folder with others' notes.
        @Sendable private func notes(_ request: Request, context: SiteContext) async throws -> Reply {
            let work = try context.id("book", as: Catalog.Work.self)
            let query = try context.query()
            let whose = try query.choice("of", Photos.Whose.self) ?? .me
            let among = try Self.among(query)
            guard whose != .me else {
                let reader = try context.signedIn().account
                let filter = "\(reader.text) \(work.text) \(among.name)"
                let page = try context.page(list: "own-notes", filter: filter, key: ID<Note>.self)
                return try Reply.page(
                    try await store.notes(about: work, among: among, of: reader, page: page), list: "own-notes",
                    filter: filter, context: context)
            }
            guard among == .all else {
                throw Failure.invalid("?of", .mismatch, "must be me where a theme or a folder is named")
            }
            let circle: Circle = whose == .friends ? .friends : .all
            if circle == .friends { _ = try context.signedIn() }
            let filter = work.text + " " + circle.rawValue
            let page = try context.page(list: "book-notes", filter: filter, key: ID<Note>.self)
            return try Reply.page(
                try await store.notes(about: work, among: circle, for: context.viewer, page: page), list: "book-notes",
                filter: filter, context: context)
        }

        private static func among(_ query: Query) throws(Failure) -> Among {
            let theme = try query.id("theme_id", as: Theme.self)
            guard theme == nil || query["folder_id"] == nil else {
                throw .invalid("?theme_id", .mismatch, "must not stand beside a folder")
            }
            if let theme { return .theme(theme) }
            if query["folder_id"] == "none" { return .outside }
            return try query.id("folder_id", as: Folder.self).map(Among.folder) ?? .all
        }

        /// `GET /readers/{username}/notes` → 200 with a page of those that you may see; 404.
        @Sendable private func ofReader(_ request: Request, context: SiteContext) async throws -> Reply {
            let username = try context.text("username")
            let filter = Accounts.Username.fold(username)
            let page = try context.page(list: "reader-notes", filter: filter, key: ID<Note>.self)
            let found = try await store.notes(of: username, for: context.viewer, page: page)
            let isPrivate = try await context.isPrivate(.notes, of: username, found, page)
            return try Reply.page(
                found, list: "reader-notes", filter: filter, context: context, also: ["is_private": isPrivate])
        }

        /// `POST /books/{book}/notes` `{title?, place?, items?, theme_ids?, theme_names?, folder_id?, visibility?}` → 201; 403
        /// `account_frozen`, `email_unverified`, 404, 409 `too_many_notes`, `too_many_themes`, 422 with `pages_unknown` and
        /// `chapters_unknown` among others.
        @Sendable private func write(_ request: Request, context: SiteContext) async throws -> Reply {
            let identity = try context.signedIn()
            let work = try context.id("book", as: Catalog.Work.self)
            var form = try context.form(request)
            let new = NewNote(
                title: form.optionalString("title", bytes: Limits.notebook.name), place: form.notePlace(),
                items: form.items(), themes: form.themes() ?? Chosen(),
                folder: form.optionalID("folder_id", as: Folder.self),
                visibility: form.optionalChoice("visibility", Library.Routes.Level.self)?.visibility)
            try form.check()
            return try await context.write(request) {
                let note = try await store.write(new, about: work, by: identity)
                return try Reply.created(context.part(of: note), location: "/notes/\(note.summary.id)").tagged(as: note)
            }
        }

        /// `GET /notes/{note}` → 200, a placeholder for one that lies ahead of you; 404, also for one that its reader keeps from you.
        @Sendable private func one(_ request: Request, context: SiteContext) async throws -> Reply {
            let shown = try await store.note(try context.id("note", as: Note.self), for: context.viewer)
            guard case .whole(let note) = shown else { return try Reply.json(.ok, shown) }
            return try Reply.json(.ok, context.part(of: note)).tagged(as: note)
        }

        /// `PATCH /notes/{note}` `{title?, place?, theme_ids?, theme_names?, folder_id?, visibility?}` → 200; what is left out
        /// stays, null clears; themes are those that are named in either way. 403 `account_frozen`, `email_unverified`, 404,
        /// 409 `too_many_themes`, 412 `precondition_failed`, 422.
        @Sendable private func change(_ request: Request, context: SiteContext) async throws -> Reply {
            let identity = try context.signedIn()
            let id = try context.id("note", as: Note.self)
            var form = try context.form(request)
            let title = form.optionalString("title", bytes: Limits.notebook.name)
            let place = form.notePlace()
            let folder = form.optionalID("folder_id", as: Folder.self)
            let level = form.optionalChoice("visibility", Library.Routes.Level.self)?.visibility
            let themes = form.themes()
            try form.check()
            let change = NoteChange(
                title: form.change("title", title), place: form.change("place", place), themes: themes,
                folder: form.change("folder_id", folder), visibility: form.change("visibility", level))
            let version = Precondition(request.headers[.ifMatch], of: "note")
            return try await context.write(request) {
                let note = try await store.change(id, change, by: identity, ifVersion: version)
                return try Reply.json(.ok, context.part(of: note)).tagged(as: note)
            }
        }

        /// `POST /notes/{note}/share` `{title?, item_id?}` → 201 with the thread and its post; `{username, body?}` → 201 with the
        /// conversation and its message. 403 `account_frozen`, `email_unverified`, `not_friends`, 404, 409 `duplicate_post`,
        /// `note_is_private`, 422 with `too_long` for more than a post holds, 429.
        @Sendable private func share(_ request: Request, context: SiteContext) async throws -> Reply {
            let identity = try context.signedIn()
            let id = try context.id("note", as: Note.self)
            var form = try context.form(request)
            let title = form.optionalString("title", bytes: 1...4 * Limits.boards.title.upperBound)
            let item = form.optionalID("item_id", as: Item.self)
            let friend = form.optionalString("username", bytes: 1...100)
            let body = form.optionalString("body", bytes: 1...Limits.messages.bodyBytes)
            try context.require(.write, friend == nil ? "boards" : "messages")
            if friend != nil, item != nil { form.fault("item_id", .mismatch, "must not stand beside a username") }
            if friend != nil, title != nil { form.fault("title", .mismatch, "must not stand beside a username") }
            if friend == nil, body != nil { form.fault("body", .mismatch, "must stand beside a username") }
            try form.check()
            return try await context.write(request) {
                guard let friend else {
                    let opened = try await store.share(id, item: item, title: title, by: identity.account)
                    return try Reply.created(
                        SharedBody(threadID: opened.thread.id, postID: opened.post.id),
                        location: "/threads/\(opened.thread.id)")
                }
                let message = try await store.send(id, to: friend, saying: body, by: identity)
                return try Reply.created(
                    SharedBody(conversationID: message.conversation, messageID: message.id),
                    location: "/messages/\(message.id)")
            }
        }

        private struct SharedBody: JSONForm {
            var threadID: ID<Boards.Thread>?
            var postID: ID<Boards.Post>?
            var conversationID: ID<Messages.Conversation>?
            var messageID: ID<Messages.Message>?

            func put(into object: JSONObject) {
                object.put("thread_id", threadID)
                object.put("post_id", postID)
                object.put("conversation_id", conversationID)
                object.put("message_id", messageID)
            }
        }

        /// `DELETE /notes/{note}` → 204; 403 `account_frozen`, 404, 412 `precondition_failed`.
        @Sendable private func remove(_ request: Request, context: SiteContext) async throws -> Reply {
            let reader = try context.signedIn().account
            let id = try context.id("note", as: Note.self)
            let version = Precondition(request.headers[.ifMatch], of: "note")
            return try await context.write(request) {
                try await store.remove(id, by: reader, ifVersion: version)
                return .noContent
            }
        }
    }
}

extension Notebook.Routes {
    private static let of = QueryParameter(
        "of", .choice(Photos.Whose.allCases.map(\.rawValue)), "Whose; your own unless it says otherwise.")
    private static let inTheme = QueryParameter("theme_id", .id, "Of your own those of this theme.")
    private static let q = QueryParameter("q", .string(2...400), "Words, and phrases in `\"…\"`.")
    private static let inBook = QueryParameter("book_id", .id, "Only about this book.")
    private static let ofKind = QueryParameter(
        "kind", .choice(OwnWords.Kind.allCases.map(\.rawValue)), "Only what is of this kind.")
    private static let inFolder = QueryParameter(
        "folder_id", .string(1...19), "Of your own those in this folder, not within its folders; `none`: in no folder.")
}

extension SiteContext {
    /// Without its photographs for an access token that may not read them.
    func part(of note: Notebook.Note) -> Notebook.Note { mayRead("photos") ? note : note.withoutPhotos }
}

extension Notebook.Among {
    /// For the filter of a cursor.
    fileprivate var name: String {
        switch self {
        case .all: ""
        case .outside: "outside"
        case .folder(let folder): "folder \(folder)"
        case .theme(let theme): "theme \(theme)"
        }
    }
}

extension Reply {
    /// Tagged with the version of the note, as this caller is shown it.
    func tagged(as note: Notebook.Note) -> Reply {
        taggedAsShown("note-\(note.summary.id)", version: note.summary.version)
    }
}
