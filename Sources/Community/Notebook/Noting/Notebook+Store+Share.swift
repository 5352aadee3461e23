import Postgres

extension Notebook.Store {
    /// Opens a thread of kind `quote` on the book's board with the words of a reader's own note, or of one of its items:
    /// it gives away as much as they do. `title`: the note's own unless it says otherwise.
    ///
    /// Throws `.notFound`, `.conflict` (`note_is_private`) for one that a moderator hides, `.invalid` where there is no text or quote, or more than a post holds, and whatever opening a
    /// thread throws.
    package func share(
        _ id: ID<Notebook.Note>, item: ID<Notebook.Item>?, title: String?, by reader: ID<Accounts.Account>
    ) async throws -> Boards.Opened {
        guard case .whole(let note) = try await note(id, for: .reader(reader)), let own = note.summary.own else {
            throw Thing(id).missing
        }
        guard !own.isHidden else {
            throw Failure.conflict(code: .noteIsPrivate, "a moderator hides this note from all but you")
        }
        let items = item.map { asked in note.items.filter { $0.id == asked } } ?? note.items
        guard item == nil || !items.isEmpty else {
            throw Failure.invalid("/item_id", .unknown, "must be an item of this note")
        }
        let parts = items.compactMap(\.post)
        guard !parts.isEmpty else {
            throw Failure.invalid(
                "/item_id", .mismatch, "must be a text or a quote: a photograph is not shared as a post")
        }
        let places = items.compactMap(\.position)
        let scope =
            item == nil ? note.summary.scope : places.max().flatMap(Gate.Scope.init(position:)) ?? note.summary.scope
        let heading = title ?? note.summary.title ?? note.summary.excerpt ?? ""
        let new = Boards.NewThread(
            title: String(heading.prefix(Limits.boards.title.upperBound)), kind: .quote,
            body: parts.joined(separator: "\n\n"), scope: .scope(scope))
        return try await Boards.Store(services).open(new, on: note.summary.book.id, by: reader)
    }

    /// Sends a friend a message with a reader's own note as its card, which the friend sees where the note's level and
    /// their gate let them.
    ///
    /// Throws `.notFound` for the note and the friend, `.conflict` (`note_is_private`) for a note that no friend may
    /// see, and whatever sending a message throws.
    package func send(
        _ id: ID<Notebook.Note>, to friend: String, saying body: String?, by reader: Accounts.Identity
    ) async throws -> Messages.Message {
        guard let listed = try await notes([id], for: .reader(reader.account))[id], let note = listed.whole,
            let own = note.own
        else { throw Thing(id).missing }
        guard own.level >= .friends, !own.isHidden else {
            throw Failure.conflict(code: .noteIsPrivate, "nobody but you may see this note: show it to friends first")
        }
        let messages = Messages.Store(services)
        let conversation = try await messages.open(with: friend, by: reader).conversation
        let new = Messages.NewMessage(body ?? "About \(note.book.title)", note: id)
        return try await messages.send(new, in: conversation.id, by: reader)
    }
}

extension Notebook {
    /// A quote in Markdown, with a last line that says where it is from.
    static func quoted(_ words: String, from source: String?) -> String {
        let lines = words.split(separator: "\n", omittingEmptySubsequences: false).map { "> \($0)" }
        return (lines + (source.map { [">", "> \($0)"] } ?? [])).joined(separator: "\n")
    }
}

extension Notebook.Item {
    /// As a part of a post; `nil` for a photograph.
    fileprivate var post: String? {
        switch content {
        case .text(let text): return text.body
        case .quote(let words, let spot): return Notebook.quoted(words, from: spot?.page.map { "p. \($0)" })
        case .picture: return nil
        }
    }

    /// The place in the book that it names.
    fileprivate var position: Int? { if case .quote(_, let spot) = content { spot?.position } else { nil } }
}
