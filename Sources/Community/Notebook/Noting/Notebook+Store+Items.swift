import MarkdownReading
import Postgres

extension Notebook.Store {
    /// Puts an item into a reader's own note: behind the last, unless `spot` says otherwise. Gives the note and the
    /// item's id.
    ///
    /// Throws `.invalid`, `.notFound`, `.forbidden` (`account_frozen`, `email_unverified`), `.conflict` (`too_many_items`),
    /// `.preconditionFailed` where the note has another version.
    package func add(
        _ item: Notebook.NewItem, at spot: Notebook.ItemSpot, to id: ID<Notebook.Note>,
        by identity: Accounts.Identity, ifVersion version: Precondition = .none
    ) async throws -> (note: Notebook.Note, item: ID<Notebook.Item>) {
        let reader = identity.account
        var faults = Faults()
        item.check(at: "", into: &faults)
        try faults.check()
        let new: ID<Notebook.Item> = try services.ids.make()
        let note = try await rewrite(id, by: reader, version) { old, transaction in
            try identity.mayShow(old.level)
            guard old.items < Limits.notebook.items else {
                throw Failure.conflict(
                    code: .tooManyItems, "a note holds at most \(Limits.notebook.items) items")
            }
            let written = try await written(item, at: "", of: reader, in: old.work, in: transaction)
            let place = try await place(spot, for: new, in: id, in: transaction)
            let now = services.clock.now()
            try await transaction.batch { batch in
                batch.run(Notebook.Statements.InsertItem(id: new, note: id, place: place, item: written, at: now))
                if let words = written.words(new, of: reader, in: old.work) { batch.run(words) }
            }
            return true
        }
        return (note, new)
    }

    /// Changes an item of a reader's own note, or moves it. Throws as `add`, `.notFound` for the item, too.
    package func change(
        _ item: ID<Notebook.Item>, of id: ID<Notebook.Note>, _ change: Notebook.ItemChange,
        by identity: Accounts.Identity, ifVersion version: Precondition = .none
    ) async throws -> Notebook.Note {
        let reader = identity.account
        return try await rewrite(id, by: reader, version) { old, transaction in
            try identity.mayShow(old.level)
            let rows = try await transaction.all(Notebook.Statements.ItemPlaces(note: id))
            guard let row = rows.first(where: { $0.item.id == item }) else { throw Failure.notFound("item \(item)") }
            let before = Notebook.Written(
                kind: row.item.kind, body: row.item.body, spot: row.item.spot, photo: row.item.photo)
            let after = try await self.changed(before, change, of: reader, in: old.work, in: transaction)
            var place = row.place
            if change.spot != .keep { place = try await self.place(change.spot, for: item, in: id, in: transaction) }
            guard after != before || place != row.place else { return false }
            let update = Notebook.Statements.UpdateItem(id: item, place: place, item: after, at: services.clock.now())
            try await transaction.batch { batch in
                batch.run(update)
                if after.body != before.body, let words = after.words(item, of: reader, in: old.work) {
                    batch.run(words)
                }
            }
            return true
        }
    }

    /// What an item is to be. Throws `.invalid` for what its kind has not.
    private func changed(
        _ old: Notebook.Written, _ change: Notebook.ItemChange, of reader: ID<Accounts.Account>,
        in work: ID<Catalog.Work>, in transaction: Transaction
    ) async throws -> Notebook.Written {
        var (new, faults) = (old, Faults())
        if let body = change.body {
            switch old.kind {
            case .text: Notebook.check(text: body, at: "/body", into: &faults)
            case .quote: Notebook.check(quote: body, at: "/body", into: &faults)
            case .picture: faults.add("/body", .mismatch, "a picture has no text: set the comment of the photograph")
            }
            new.body = Markdown.clean(body)
        }
        faults.require(
            change.place == .keep || old.kind == .quote, "/place", .mismatch, "only a quote has a place of its own")
        faults.require(
            change.photo == nil || old.kind == .picture, "/photo_id", .mismatch, "only a picture has a photograph")
        try faults.check()
        if case .set(let said) = change.place {
            new.spot = try await spot(said, of: reader, in: work, at: "/place", in: transaction)
        }
        if let photo = change.photo, photo != old.photo {
            try await hold(photo, at: "/photo_id", of: reader, in: work, in: transaction)
            new.photo = photo
        }
        return new
    }

    /// Takes an item out of a reader's own note; a photograph stays. Throws `.notFound`, `.forbidden`
    /// (`account_frozen`), `.preconditionFailed`.
    package func remove(
        _ item: ID<Notebook.Item>, of id: ID<Notebook.Note>, by reader: ID<Accounts.Account>,
        ifVersion version: Precondition = .none
    ) async throws {
        _ = try await rewrite(id, by: reader, version) { _, transaction in
            guard try await transaction.run(Notebook.Statements.DeleteItem(id: item, note: id)) == 1 else {
                throw Failure.notFound("item \(item)")
            }
            try await transaction.batch { batch in
                batch.run(OwnWords.Drop(.text, [item]))
                batch.run(OwnWords.Drop(.quote, [item]))
            }
            return true
        }
    }

    /// A free place in a note, whose row is locked; moves the others apart where there is no room.
    private func place(
        _ spot: Notebook.ItemSpot, for item: ID<Notebook.Item>, in note: ID<Notebook.Note>,
        in transaction: Transaction
    ) async throws -> Int64 {
        for _ in 0..<2 {
            let others = try await transaction.all(Notebook.Statements.ItemPlaces(note: note)).filter {
                $0.item.id != item
            }
            let gap: Library.Gap
            switch spot {
            case .keep: gap = Library.Gap(before: others.last?.place, after: nil)
            case .first: gap = Library.Gap(before: nil, after: others.first?.place)
            case .after(let other):
                guard let index = others.firstIndex(where: { $0.item.id == other }) else {
                    throw Failure.invalid("/after", .unknown, "must be another item of this note")
                }
                let next = index + 1 < others.count ? others[index + 1].place : nil
                gap = Library.Gap(before: others[index].place, after: next)
            }
            if let place = gap.place { return place }
            try await transaction.run(Notebook.Statements.SpreadItems(note: note))
        }
        throw Failure.conflict(code: .tooManyItems, "there is no room at this place")
    }
}
