/// The words of texts as Postgres finds them.
package enum WordVector {
    /// The words of a text in the text form of a `tsvector`: folded as books' are, with their places, those of the title
    /// at weight A.
    ///
    /// `plain` is what `Markdown` gives: no word of an inline spoiler is in it, so that nobody finds one.
    package static func text(title: String?, plain: String) -> String {
        var (text, place) = ("", 0)
        func add(_ source: String, weight: String) {
            // Where a spoiler was stands `…`: no phrase goes over it.
            for piece in source.split(separator: "…") {
                for word in Normaliser.fold(piece).split(separator: " ") {
                    place += 1
                    // Folded words hold letters and digits alone: nothing in them can end the quotes.
                    text += "'\(String(word).bounded(to: Limits.search.word))':\(place)\(weight) "
                }
                place += 1
            }
        }
        if let title {
            add(title, weight: "A")
        }
        add(plain, weight: "")
        return text
    }
}
