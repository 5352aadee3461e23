import Community
import HTTPTypes
import Hummingbird
import JSONWriting

extension Notebook.Routes {
    func addItems(to routes: inout RouteTable) {
        routes.post(
            "/notes/{note}/items", access: .reader,
            summary:
                "Put a text, a quote or a photograph into your note: behind the last item, unless `after` says otherwise.",
            body: Self.newItem, reply: Self.note, addItem)
        routes.patch(
            "/notes/{note}/items/{item}", access: .reader,
            summary: "Change an item of your note, put another photograph in its place, or move it.",
            body: Self.itemChange, reply: Self.note, changeItem)
        routes.delete(
            "/notes/{note}/items/{item}", summary: "Take an item out of your note. A photograph stays.", removeItem)
        routes.put(
            "/notes/{note}/themes/{theme}", access: .reader, summary: "Put a theme on your note; twice is once.",
            status: .noContent, label(isOn: true))
        // It says the notes; what it does is of photographs, and so is the scope that it needs.
        routes.area("photos") {
            $0.delete(
                "/photos/{photo}", summary: "Delete your photograph, and say which of your notes it stood in.",
                status: .ok, reply: Self.removedPhoto, removePhoto)
        }
        routes.delete("/notes/{note}/themes/{theme}", summary: "Take a theme off your note.", label(isOn: false))
    }

    /// `POST /notes/{note}/items` `{kind: "text", body, after?}`, `{kind: "quote", body, place?, after?}` or `{kind: "picture", photo_id,
    /// after?}` → 201 with the note. `after`: the item that it is to follow; null for the first place. 403 `account_frozen`, `email_unverified`, 404, 409
    /// `too_many_items`, 412 `precondition_failed`, 422.
    @Sendable private func addItem(_ request: Request, context: SiteContext) async throws -> Reply {
        let identity = try context.signedIn()
        let id = try context.id("note", as: Notebook.Note.self)
        var form = try context.form(request)
        let item = form.item()
        let spot = form.itemSpot()
        try form.check()
        guard let item else { throw Failure.invalid("/kind", .required, "must be given") }
        let version = Precondition(request.headers[.ifMatch], of: "note")
        return try await context.write(request) {
            let (note, _) = try await store.add(item, at: spot, to: id, by: identity, ifVersion: version)
            return try Reply.created(context.part(of: note), location: "/notes/\(id)").tagged(as: note)
        }
    }

    /// `PATCH /notes/{note}/items/{item}` `{body?, place?, photo_id?, after?}` → 200 with the note; what is left out stays. 403
    /// `account_frozen`, `email_unverified`, 404, 412 `precondition_failed`, 422.
    @Sendable private func changeItem(_ request: Request, context: SiteContext) async throws -> Reply {
        let identity = try context.signedIn()
        let id = try context.id("note", as: Notebook.Note.self)
        let item = try context.id("item", as: Notebook.Item.self)
        var form = try context.form(request)
        let body = form.optionalString("body", bytes: Limits.notebook.text)
        let place = form.notePlace()
        let photo = form.optionalID("photo_id", as: Photos.Photo.self)
        let spot = form.itemSpot()
        try form.check()
        let change = Notebook.ItemChange(body: body, place: form.change("place", place), photo: photo, spot: spot)
        let version = Precondition(request.headers[.ifMatch], of: "note")
        return try await context.write(request) {
            let note = try await store.change(item, of: id, change, by: identity, ifVersion: version)
            return try Reply.json(.ok, context.part(of: note)).tagged(as: note)
        }
    }

    /// `DELETE /notes/{note}/items/{item}` → 204; 403 `account_frozen`, 404, 412 `precondition_failed`.
    @Sendable private func removeItem(_ request: Request, context: SiteContext) async throws -> Reply {
        let reader = try context.signedIn().account
        let id = try context.id("note", as: Notebook.Note.self)
        let item = try context.id("item", as: Notebook.Item.self)
        let version = Precondition(request.headers[.ifMatch], of: "note")
        return try await context.write(request) {
            try await store.remove(item, of: id, by: reader, ifVersion: version)
            return .noContent
        }
    }

    /// `DELETE /photos/{photo}` → 200 with the notes that it stood in; 403 `account_frozen`, 404.
    @Sendable private func removePhoto(_ request: Request, context: SiteContext) async throws -> Reply {
        let reader = try context.signedIn().account
        let id = try context.id("photo", as: Photos.Photo.self)
        return try await context.write(request) {
            try Reply.json(.ok, RemovedPhoto(notes: try await store.remove(id, by: reader)))
        }
    }

    private struct RemovedPhoto: JSONForm {
        let notes: [Notebook.Summary]

        func put(into object: JSONObject) { object.put("notes", notes) }
    }

    /// `PUT /notes/{note}/themes/{theme}` and `DELETE /notes/{note}/themes/{theme}` → 204, also where it is so already; 403
    /// `account_frozen`, 404, 412 `precondition_failed`. Of `PUT` also 409 `too_many_themes`.
    private func label(isOn: Bool) -> Route.Handler {
        { request, context in
            let reader = try context.signedIn().account
            let id = try context.id("note", as: Notebook.Note.self)
            let theme = try context.id("theme", as: Notebook.Theme.self)
            let version = Precondition(request.headers[.ifMatch], of: "note")
            return try await context.write(request) {
                try await store.label(id, with: theme, isOn: isOn, by: reader, ifVersion: version)
                return .noContent
            }
        }
    }
}

extension Form {
    /// The field `place`: one of percent, page and chapter.
    mutating func notePlace() -> Places.Said? {
        guard var inner = object("place") else { return nil }
        let said = inner.said()
        if said == nil, inner.faults.all.isEmpty { inner.fault("percent", .required, "say percent, page or chapter") }
        add(inner)
        return said
    }

    /// The fields `theme_ids` and `theme_names`; `nil` where neither was sent.
    mutating func themes() -> Notebook.Chosen? {
        let most = 0...Limits.notebook.noteThemes
        let ids = strings("theme_ids", count: most, bytes: 1...19)
        let names = strings("theme_names", count: most, bytes: Limits.notebook.name)
        guard has("theme_ids") || has("theme_names") else { return nil }
        var known: [ID<Notebook.Theme>] = []
        for (index, text) in ids.enumerated() {
            guard let id = ID<Notebook.Theme>(text: text) else {
                fault("theme_ids/\(index)", .badFormat, "must be an identifier")
                continue
            }
            known.append(id)
        }
        return Notebook.Chosen(ids: known, names: names)
    }

    /// The field `items`.
    mutating func items() -> [Notebook.NewItem] {
        each("items", count: Limits.notebook.items) { $0.item() }.compactMap(\.self)
    }

    /// The fields of one item; `nil` where they are at fault.
    mutating func item() -> Notebook.NewItem? {
        switch choice("kind", Notebook.ItemKind.self) {
        case .text?: return .text(string("body", bytes: Limits.notebook.text))
        case .quote?: return .quote(string("body", bytes: Limits.notebook.text), notePlace())
        case .picture?: return .picture(id("photo_id", as: Photos.Photo.self))
        case nil: return nil
        }
    }

    /// The field `after`.
    mutating func itemSpot() -> Notebook.ItemSpot {
        let after = optionalID("after", as: Notebook.Item.self)
        return has("after") ? after.map { .after($0) } ?? .first : .keep
    }
}
