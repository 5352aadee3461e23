/// A CSV file that tells the genres of books apart from the books: columns `book_id` and `genres`, labels with commas
/// between them.
package enum GenresFile {
    /// Labels that stand for genres, by book; other labels are dropped at once. Throws `Catalog.Reject` where a column
    /// is missing.
    package static func read(_ path: String) throws -> [String: [String]] {
        var records = CSVReader(try LineReader(path))
        guard let header = try records.next(), case .success(let names) = header.fields,
            let book = names.firstIndex(of: "book_id"),
            let genres = names.firstIndex(of: "genres")
        else { throw Catalog.Reject("csv", "the genres file needs the columns book_id and genres") }
        var labels: [String: [String]] = [:]
        while let record = try records.next() {
            guard case .success(let fields) = record.fields, fields.count == names.count else { continue }
            labels[fields[book]] = fields[genres].split(separator: ",").filter { !Genres.slugs(of: $0).isEmpty }.map(
                String.init)
        }
        return labels
    }
}
