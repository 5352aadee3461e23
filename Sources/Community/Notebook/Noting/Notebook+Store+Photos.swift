import Postgres

extension Notebook.Store {
    /// Deletes a reader's own photograph with its files, and takes it out of the notes that it stands in. Gives those.
    ///
    /// Throws `.notFound`, `.forbidden` (`account_frozen`).
    package func remove(
        _ photo: ID<Photos.Photo>, by reader: ID<Accounts.Account>
    ) async throws -> [Notebook.Summary] {
        try await services.database.transaction { transaction in
            try await library.lock(reader, in: transaction)
            let places = try await transaction.all(Notebook.Statements.PlacesOf(photo: photo, reader: reader))
            let notes = Set(places.map(\.note)).sorted()
            var works: [ID<Notebook.Note>: ID<Catalog.Work>] = [:]
            for note in notes {
                works[note] = try await transaction.one(Notebook.Statements.LockNote(note: note, reader: reader)).work
            }
            guard try await Photos.remove(photo, by: reader, at: services.clock.now(), in: transaction) else {
                throw Thing(photo).missing
            }
            for place in places {
                try await transaction.run(Notebook.Statements.DeleteItem(id: place.item, note: place.note))
            }
            for (note, work) in works { try await settle(note, of: reader, in: work, in: transaction) }
            let left = Notebook.Statements.TheseNotes(viewer: .reader(reader), notes: notes)
            return try await transaction.all(left).compactMap(\.whole)
        }
    }
}

extension Notebook.Statements {
    /// Where a reader's own photograph stands. Index `note_item_of_photo`.
    struct PlacesOf: Statement {
        static let sql: SQL<Self> = """
            select note_item.note_id, note_item.id
              from note_item
              join note on note.id = note_item.note_id
             where note_item.photo_id = \(\.photo)
               and note.reader_id = \(\.reader)
             order by note_item.id
            """
        let photo: ID<Photos.Photo>, reader: ID<Accounts.Account>

        static func decode(_ columns: inout Columns) throws -> (note: ID<Notebook.Note>, item: ID<Notebook.Item>) {
            (try columns("note_id"), try columns("id"))
        }
    }
}
