/// Books as files, made safe to read page by page: EPUB 2 and 3, and plain text. `README.md` has the rules.
///
/// One call opens a book; what comes back gives its facts, and then one chapter after another:
///
///     let reading = try EPUB.read(path: path)
///     store(reading.facts)
///     while let chapter = try reading.nextChapter() { store(chapter.pages) }
///
/// **What is guaranteed** of every file, however it was made:
/// - A page's HTML is balanced and holds only the elements and attributes that `README.md` lists. No script, style,
///   frame, form, handler of events or address of another server; `href` is `http`, `https` or `mailto`.
/// - Words of a book are escaped: `<`, `>`, `&` and quotation marks begin markup only where this target wrote it.
/// - The same bytes give the same pages. The texts of a chapter's pages are its text, cut into pieces.
/// - Nothing is fetched, and no entity is expanded but the named ones of XHTML. No file is written but to a descriptor
///   that the caller gives.
/// - Memory is bounded by `Limits`: one document, its HTML and the archive's directory at a time.
///
/// Time is not bounded here: run it in a process with a deadline.
package enum EPUB {
    /// The version of the rules by which a book is cut into pages. Raise it with them: books are laid out anew.
    package static let layoutVersion = 1

    /// Opens an EPUB and reads all but its chapters. The descriptor stays the caller's and must be of a file.
    package static func read(descriptor: Int32, limits: Limits = Limits()) throws(Refusal) -> Reading {
        try Reading(archive: Archive(descriptor: descriptor, limits: limits), limits: limits)
    }

    /// The same of the file at `path`.
    package static func read(path: String, limits: Limits = Limits()) throws(Refusal) -> Reading {
        try withFile(path) { descriptor throws(Refusal) in try read(descriptor: descriptor, limits: limits) }
    }

    /// Opens a book that is plain text in UTF-8.
    package static func readText(descriptor: Int32, limits: Limits = Limits()) throws(Refusal) -> Reading {
        try Reading(text: PlainText(descriptor: descriptor, limits: limits), limits: limits)
    }

    /// The same of the file at `path`.
    package static func readText(path: String, limits: Limits = Limits()) throws(Refusal) -> Reading {
        try withFile(path) { descriptor throws(Refusal) in try readText(descriptor: descriptor, limits: limits) }
    }
}
