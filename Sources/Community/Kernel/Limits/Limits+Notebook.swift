/// The limits of what readers note.
extension Limits {
    package struct Notebook: Sendable {
        /// Notes of one reader about one book, and items of one note.
        @Limit("notebook.notes", "per_book") package var notes = 5_000
        @Limit("notebook.items", "items") package var items = 200
        /// Bytes of a text.
        @Limit("notebook.text", "bytes") package var text = 1...20_000
        /// Characters of a quote.
        @Limit("notebook.quote", "characters") package var quote = 1...2_000
        /// Bytes of a title, and of the name of a theme or folder.
        @Limit("notebook.name", "bytes") package var name = 1...200
        /// Themes and folders of one reader for one book, and themes of one note.
        @Limit("notebook.themes", "per_book") package var themes = 500
        @Limit("notebook.folders", "per_book") package var folders = 1_000
        @Limit("notebook.note_themes", "items") package var noteThemes = 50
        /// Folders that stand in each other.
        @Limit("notebook.depth", "levels") package var depth = 8
        /// Newest things of a reader that are looked through for words before the index of words is asked.
        let walk = 1_000
        /// Notes that are read together where a notebook is taken along.
        let exported = 100
        /// Characters of what was found in which its words are looked for, to be shown.
        let excerpted = 20_000
        /// Bytes of a file that comes in, its books, its notes, and those of them that more than friends may see.
        @Limit("notebook.import", "bytes") package var file = 8 * 1024 * 1024
        @Limit("notebook.import_books", "items") package var fileBooks = 2_000
        @Limit("notebook.import_notes", "items") package var fileNotes = 10_000
        @Limit("notebook.import_shown_notes", "items") package var fileShown = 500
        /// Notes of one reader, beyond which no file comes in.
        @Limit("notebook.import_room", "items") package var fileRoom = 100_000
        /// What is named of that for which there was no place.
        @Limit("notebook.import_unmatched", "items") package var unmatched = 200
        /// Notes that are written together where a notebook comes in.
        let imported = 50
        /// Notes that the screen of a notebook shows at first.
        @Limit("notebook.screen", "items") package var screen = 20
    }
    package static let notebook = Notebook()
}
