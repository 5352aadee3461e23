import JSONWriting

extension Notebook.Spot: JSONForm {
    package func put(into object: JSONObject) {
        object.put("position", position)
        object.put("percent", Double(position) / 100)
        object.put("page", page)
    }
}

extension Notebook.Label: JSONForm {
    package func put(into object: JSONObject) {
        object.put("id", id)
        object.put("name", name)
        object.put("color", color)
    }
}

extension Notebook.Summary: JSONForm {
    package func put(into object: JSONObject) {
        object.put("id", id)
        object.put("state", Gate.shown)
        object.put("author", author)
        object.put("book", book)
        object.put("title", title)
        object.put("place", spot)
        object.put("excerpt", excerpt)
        object.put("item_count", items)
        object.put("folder_id", own?.folder)
        object.put("themes", own?.themes)
        object.put("visibility", own?.visibility)
        object.put("is_hidden", own?.isHidden ?? false)
        object.put("reactions", ReactionCounts(reactions))
        object.put("my_reactions", Reaction.allCases.filter(ownReactions.contains))
        object.put("version", version)
        object.put("created_at", createdAt)
        object.put("changed_at", changedAt)
    }
}

extension Notebook.Listed: JSONWritable {
    package func write(to output: JSONOutput) {
        switch self {
        case .whole(let summary): summary.write(to: output)
        case .gated(let placeholder): placeholder.write(to: output)
        }
    }
}

extension Notebook.Note: JSONForm {
    package func put(into object: JSONObject) {
        summary.put(into: object)
        object.put("items", items)
    }
}

extension Notebook.Shown: JSONWritable {
    package func write(to output: JSONOutput) {
        switch self {
        case .whole(let note): note.write(to: output)
        case .gated(let placeholder): placeholder.write(to: output)
        }
    }
}

extension Notebook.Item: JSONForm {
    package func put(into object: JSONObject) {
        object.put("id", id)
        switch content {
        case .text(let text):
            object.put("kind", Notebook.ItemKind.text.rawValue)
            object.put("body", text.body)
            object.put("html", text.html)
            object.put("is_veiled", text.isVeiled)
        case .quote(let words, let spot):
            object.put("kind", Notebook.ItemKind.quote.rawValue)
            object.put("body", words)
            object.put("place", spot)
        case .picture(let photo):
            object.put("kind", Notebook.ItemKind.picture.rawValue)
            object.put("photo", photo)
        }
        object.put("created_at", createdAt)
        object.put("changed_at", changedAt)
    }
}

extension Notebook.Theme: JSONForm {
    package func put(into object: JSONObject) {
        object.put("id", id)
        object.put("book_id", book)
        object.put("name", name)
        object.put("color", color)
        object.put("note_count", notes)
        object.put("version", version)
        object.put("created_at", createdAt)
        object.put("changed_at", changedAt)
    }
}

extension Notebook.Folder: JSONForm {
    package func put(into object: JSONObject) {
        object.put("id", id)
        object.put("book_id", book)
        object.put("parent_id", parent)
        object.put("name", name)
        object.put("note_count", notes)
        object.put("folder_count", folders)
        object.put("version", version)
        object.put("created_at", createdAt)
        object.put("changed_at", changedAt)
    }
}

extension Notebook.Kept: JSONForm {
    package func put(into object: JSONObject) {
        object.put("book", book)
        object.put("note_count", notes)
        object.put("theme_count", themes)
        object.put("folder_count", folders)
        object.put("changed_at", changedAt)
    }
}
