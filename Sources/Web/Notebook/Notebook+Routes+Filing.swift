import Community
import HTTPTypes
import Hummingbird

// Themes.
extension Notebook.Routes {
    func addThemes(to routes: inout RouteTable) {
        routes.get(
            "/books/{book}/themes", access: .reader, summary: "Your themes for a book, by name.",
            query: QueryParameter.paging, reply: .page(Self.wholeTheme), themes)
        routes.post(
            "/books/{book}/themes", access: .reader, summary: "Make a theme for a book.", body: Self.newTheme,
            reply: Self.wholeTheme, makeTheme)
        routes.get("/themes/{theme}", access: .reader, summary: "One of your themes.", reply: Self.wholeTheme, oneTheme)
        routes.patch(
            "/themes/{theme}", access: .reader, summary: "Give your theme another name or color.",
            body: Self.themeChange, reply: Self.wholeTheme, changeTheme)
        routes.delete("/themes/{theme}", summary: "Delete your theme. Its notes stay.", removeTheme)
        routes.get(
            "/themes/{theme}/notes", access: .reader, summary: "Your notes of a theme, newest first.",
            query: QueryParameter.paging, reply: Self.notePage, notesOfTheme)
        routes.post(
            "/themes/{theme}/merge", access: .reader,
            summary: "Put another theme in the place of this one on all its notes; this one is gone then.",
            body: Self.themeMerge, status: .ok, reply: Self.wholeTheme, mergeTheme)
    }

    /// `GET /books/{book}/themes` → 200 with a page.
    @Sendable private func themes(_ request: Request, context: SiteContext) async throws -> Reply {
        let reader = try context.signedIn().account
        let work = try context.id("book", as: Catalog.Work.self)
        let filter = reader.text + " " + work.text
        let page = try context.page(list: "themes", filter: filter, key: Notebook.NameKey<Notebook.Theme>.self)
        return try Reply.page(
            try await store.themes(for: work, of: reader, page: page), list: "themes", filter: filter, context: context)
    }

    /// `POST /books/{book}/themes` `{name, color?}` → 201; 403 `account_frozen`, 404, 409 `theme_exists`, `too_many_themes`, 422.
    @Sendable private func makeTheme(_ request: Request, context: SiteContext) async throws -> Reply {
        let reader = try context.signedIn().account
        let work = try context.id("book", as: Catalog.Work.self)
        var form = try context.form(request)
        let new = Notebook.NewTheme(
            name: form.string("name", bytes: Limits.notebook.name), color: form.optionalString("color", bytes: 7...7))
        try form.check()
        return try await context.write(request) {
            let theme = try await store.make(new, for: work, by: reader)
            return try Reply.created(theme, location: "/themes/\(theme.id)").tagged(as: theme)
        }
    }

    /// `GET /themes/{theme}` → 200; 404.
    @Sendable private func oneTheme(_ request: Request, context: SiteContext) async throws -> Reply {
        let theme = try await store.theme(
            try context.id("theme", as: Notebook.Theme.self), of: try context.signedIn().account)
        return try Reply.json(.ok, theme).tagged(as: theme)
    }

    /// `PATCH /themes/{theme}` `{name?, color?}` → 200; 403 `account_frozen`, 404, 409 `theme_exists`, 412 `precondition_failed`,
    /// 422.
    @Sendable private func changeTheme(_ request: Request, context: SiteContext) async throws -> Reply {
        let reader = try context.signedIn().account
        let id = try context.id("theme", as: Notebook.Theme.self)
        var form = try context.form(request)
        let name = form.optionalString("name", bytes: Limits.notebook.name)
        if form.has("name"), name == nil, form.faults.all.isEmpty { form.fault("name", .required, "must be given") }
        let color = form.optionalString("color", bytes: 7...7)
        try form.check()
        let change: FieldChange<String> = form.change("color", color)
        let version = Precondition(request.headers[.ifMatch], of: "theme")
        return try await context.write(request) {
            let theme = try await store.change(id, name: name, color: change, by: reader, ifVersion: version)
            return try Reply.json(.ok, theme).tagged(as: theme)
        }
    }

    /// `DELETE /themes/{theme}` → 204; 403 `account_frozen`, 404, 412 `precondition_failed`.
    @Sendable private func removeTheme(_ request: Request, context: SiteContext) async throws -> Reply {
        let reader = try context.signedIn().account
        let id = try context.id("theme", as: Notebook.Theme.self)
        let version = Precondition(request.headers[.ifMatch], of: "theme")
        return try await context.write(request) {
            try await store.remove(id, by: reader, ifVersion: version)
            return .noContent
        }
    }

    /// `GET /themes/{theme}/notes` → 200 with a page; 404.
    @Sendable private func notesOfTheme(_ request: Request, context: SiteContext) async throws -> Reply {
        let reader = try context.signedIn().account
        let theme = try await store.theme(try context.id("theme", as: Notebook.Theme.self), of: reader)
        let page = try context.page(list: "theme-notes", filter: theme.id.text, key: ID<Notebook.Note>.self)
        return try Reply.page(
            try await store.notes(about: theme.book, among: .theme(theme.id), of: reader, page: page),
            list: "theme-notes", filter: theme.id.text, context: context)
    }

    /// `POST /themes/{theme}/merge` `{into_id}` → 200 with the theme that stays; 403 `account_frozen`, 404, 412
    /// `precondition_failed`, 422.
    @Sendable private func mergeTheme(_ request: Request, context: SiteContext) async throws -> Reply {
        let reader = try context.signedIn().account
        let id = try context.id("theme", as: Notebook.Theme.self)
        var form = try context.form(request)
        let into = form.id("into_id", as: Notebook.Theme.self)
        try form.check()
        let version = Precondition(request.headers[.ifMatch], of: "theme")
        return try await context.write(request) {
            let theme = try await store.merge(id, into: into, by: reader, ifVersion: version)
            return try Reply.json(.ok, theme).tagged(as: theme)
        }
    }
}

// Folders.
extension Notebook.Routes {
    func addFolders(to routes: inout RouteTable) {
        routes.get(
            "/books/{book}/folders", access: .reader,
            summary: "Your folders for a book, by name: all of them, or those that stand in none.",
            query: [Self.inParent] + QueryParameter.paging, reply: .page(Self.folder), folders)
        routes.post(
            "/books/{book}/folders", access: .reader, summary: "Make a folder for a book, in another one or in none.",
            body: Self.newFolder, reply: Self.folder, makeFolder)
        routes.get("/folders/{folder}", access: .reader, summary: "One of your folders.", reply: Self.folder, oneFolder)
        routes.patch(
            "/folders/{folder}", access: .reader,
            summary: "Give your folder another name, or move it with all that stands in it.", body: Self.folderChange,
            reply: Self.folder, changeFolder)
        routes.delete(
            "/folders/{folder}",
            summary: """
                Delete your folder: with `notes=keep` its notes and folders stand where it stood, with `notes=delete` \
                they go, too. The answer says what it did.
                """,
            query: [Self.leaving], status: .ok, reply: Self.emptied, removeFolder)
        routes.get(
            "/folders/{folder}/folders", access: .reader, summary: "The folders in your folder, by name.",
            query: QueryParameter.paging, reply: .page(Self.folder), foldersWithin)
        routes.get(
            "/folders/{folder}/notes", access: .reader, summary: "The notes in your folder, newest first.",
            query: QueryParameter.paging, reply: Self.notePage, notesWithin)
    }

    /// `GET /books/{book}/folders?parent_id=none` → 200 with a page; 422.
    @Sendable private func folders(_ request: Request, context: SiteContext) async throws -> Reply {
        let reader = try context.signedIn().account
        let work = try context.id("book", as: Catalog.Work.self)
        let isOutside = try context.query().choice("parent_id", of: ["none"]) != nil
        let filter = "\(reader.text) \(work.text) \(isOutside ? "outside" : "all")"
        let page = try context.page(list: "folders", filter: filter, key: Notebook.NameKey<Notebook.Folder>.self)
        return try Reply.page(
            try await store.folders(for: work, isOutside ? .outside : .all, of: reader, page: page), list: "folders",
            filter: filter, context: context)
    }

    /// `POST /books/{book}/folders` `{name, parent_id?}` → 201; 403 `account_frozen`, 404, 409 `too_many_folders`,
    /// `folders_too_deep`, 422.
    @Sendable private func makeFolder(_ request: Request, context: SiteContext) async throws -> Reply {
        let reader = try context.signedIn().account
        let work = try context.id("book", as: Catalog.Work.self)
        var form = try context.form(request)
        let name = form.string("name", bytes: Limits.notebook.name)
        let parent = form.optionalID("parent_id", as: Notebook.Folder.self)
        try form.check()
        return try await context.write(request) {
            let folder = try await store.makeFolder(name, in: parent, for: work, by: reader)
            return try Reply.created(folder, location: "/folders/\(folder.id)").tagged(as: folder)
        }
    }

    /// `GET /folders/{folder}` → 200; 404.
    @Sendable private func oneFolder(_ request: Request, context: SiteContext) async throws -> Reply {
        let folder = try await store.folder(
            try context.id("folder", as: Notebook.Folder.self), of: try context.signedIn().account)
        return try Reply.json(.ok, folder).tagged(as: folder)
    }

    /// `PATCH /folders/{folder}` `{name?, parent_id?}` → 200; a null parent moves it out of all. 403 `account_frozen`, 404, 409
    /// `folders_too_deep`, 412 `precondition_failed`, 422.
    @Sendable private func changeFolder(_ request: Request, context: SiteContext) async throws -> Reply {
        let reader = try context.signedIn().account
        let id = try context.id("folder", as: Notebook.Folder.self)
        var form = try context.form(request)
        let name = form.optionalString("name", bytes: Limits.notebook.name)
        if form.has("name"), name == nil, form.faults.all.isEmpty { form.fault("name", .required, "must be given") }
        let parent = form.optionalID("parent_id", as: Notebook.Folder.self)
        try form.check()
        let change: FieldChange<ID<Notebook.Folder>> = form.change("parent_id", parent)
        let version = Precondition(request.headers[.ifMatch], of: "folder")
        return try await context.write(request) {
            let folder = try await store.change(id, name: name, parent: change, by: reader, ifVersion: version)
            return try Reply.json(.ok, folder).tagged(as: folder)
        }
    }

    /// `DELETE /folders/{folder}?notes=keep|delete` → 200 with what it did; 403 `account_frozen`, 404, 412
    /// `precondition_failed`, 422 without `notes`.
    @Sendable private func removeFolder(_ request: Request, context: SiteContext) async throws -> Reply {
        let reader = try context.signedIn().account
        let id = try context.id("folder", as: Notebook.Folder.self)
        guard let contents = try context.query().choice("notes", Notebook.FolderContents.self) else {
            throw Failure.invalid("?notes", .required, "must be keep or delete: say what becomes of what stands in it")
        }
        let version = Precondition(request.headers[.ifMatch], of: "folder")
        return try await context.write(request) {
            try Reply.json(.ok, try await store.remove(id, contents, by: reader, ifVersion: version))
        }
    }

    /// `GET /folders/{folder}/folders` → 200 with a page; 404.
    @Sendable private func foldersWithin(_ request: Request, context: SiteContext) async throws -> Reply {
        let reader = try context.signedIn().account
        let folder = try await store.folder(try context.id("folder", as: Notebook.Folder.self), of: reader)
        let filter = folder.id.text
        let page = try context.page(list: "folder-folders", filter: filter, key: Notebook.NameKey<Notebook.Folder>.self)
        return try Reply.page(
            try await store.folders(for: folder.book, .folder(folder.id), of: reader, page: page),
            list: "folder-folders", filter: filter, context: context)
    }

    /// `GET /folders/{folder}/notes` → 200 with a page; 404.
    @Sendable private func notesWithin(_ request: Request, context: SiteContext) async throws -> Reply {
        let reader = try context.signedIn().account
        let folder = try await store.folder(try context.id("folder", as: Notebook.Folder.self), of: reader)
        let page = try context.page(list: "folder-notes", filter: folder.id.text, key: ID<Notebook.Note>.self)
        return try Reply.page(
            try await store.notes(about: folder.book, among: .folder(folder.id), of: reader, page: page),
            list: "folder-notes", filter: folder.id.text, context: context)
    }

    private static let inParent = QueryParameter(
        "parent_id", .choice(["none"]), "`none`: only those that stand in no folder.")
    private static let leaving = QueryParameter(
        "notes", .choice(Notebook.FolderContents.allCases.map(\.rawValue)),
        "What becomes of what stands in it. Must be given."
    )
}

extension Reply {
    fileprivate func tagged(as theme: Notebook.Theme) -> Reply {
        taggedAsShown("theme-\(theme.id)", version: theme.version)
    }

    fileprivate func tagged(as folder: Notebook.Folder) -> Reply {
        taggedAsShown("folder-\(folder.id)", version: folder.version)
    }
}
