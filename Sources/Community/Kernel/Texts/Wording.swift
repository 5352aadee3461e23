import MarkdownReading

/// What a text of readers must be, wherever it stands: one rule for posts, reviews and replies to them, messages and
/// what a group says about itself, and in one line for titles and names of groups.
///
/// - **Characters** are Unicode scalar values, as the database counts them, never clusters of them, in which one
///   character may hide thousands. A text is counted as it is kept: `Markdown.clean` leaves out control characters and
///   what turns directions around, so that these count for nothing. Bytes are those that were sent.
/// - **Empty** is a text in which nothing is seen: `too_short` where only white space, marks and what has no width are
///   left of it.
/// - A NUL is refused everywhere. Of other control characters a text is cleaned; a line is refused for them.
/// - **Direction**: embeddings, overrides and isolates (U+202A–202E, U+2066–2069) are nowhere kept: texts are cleaned
///   of them, names, lines and what is kept as it is are refused. Marks (U+200E, U+200F, U+061C) turn nothing but what
///   stands beside them; Arabic and Hebrew need them.
package enum Wording {
    /// Adds what is wrong with `text`, of any number of lines: `too_long`, `too_short`, `bad_format`.
    package static func check(
        text: String, into faults: inout Faults, characters: ClosedRange<Int>? = nil, bytes: ClosedRange<Int>,
        at pointer: String
    ) {
        let size = text.utf8.count
        // Before anything reads it: what is far too long is not looked at.
        guard size <= bytes.upperBound else {
            return faults.add(pointer, .tooLong, "at most \(bytes.upperBound) bytes of UTF-8")
        }
        faults.require(!text.utf8.contains(0), pointer, .badFormat, "holds a NUL")
        let kept = Markdown.clean(text).unicodeScalars
        guard isSeen(kept, at: pointer, &faults) else { return }
        faults.require(size >= bytes.lowerBound, pointer, .tooShort, "at least \(bytes.lowerBound) bytes of UTF-8")
        if let characters { count(kept, in: characters, at: pointer, &faults) }
    }

    /// Adds what is wrong with `line`, which stands in one line among other text: the same, and `bad_format` for what
    /// `Markdown.clean` leaves out of a text, for a tab and for the end of a line.
    package static func check(
        line: String, into faults: inout Faults, characters: ClosedRange<Int>, at pointer: String
    ) {
        let kept = Markdown.clean(line)
        if isSeen(kept.unicodeScalars, at: pointer, &faults) {
            count(line.unicodeScalars, in: characters, at: pointer, &faults)
        }
        let isInLine = kept.utf8.count == line.utf8.count && !kept.utf8.contains { $0 == 9 || $0 == 10 }
        faults.require(isInLine, pointer, .badFormat, "holds a control character")
    }

    /// Whether `text` may stand among other text as it was sent: no NUL, and nothing that turns the direction of the
    /// text around it. For what is kept as it is: notes, labels, names of lists, the words for a picture.
    package static func isPlain(_ text: String) -> Bool {
        !text.unicodeScalars.contains { $0.value == 0 || $0.turnsDirection }
    }

    /// What is wrong with a text that is not plain.
    static let unplain = "holds a NUL, or what turns the direction of text around"

    private static func isSeen(
        _ scalars: String.UnicodeScalarView, at pointer: String, _ faults: inout Faults
    ) -> Bool {
        let isSeen = scalars.contains(where: \.isVisible)
        faults.require(isSeen, pointer, .tooShort, "holds no text")
        return isSeen
    }

    private static func count(
        _ scalars: String.UnicodeScalarView, in bounds: ClosedRange<Int>, at pointer: String, _ faults: inout Faults
    ) {
        let (count, least, most) = (scalars.count, bounds.lowerBound, bounds.upperBound)
        faults.require(count <= most, pointer, .tooLong, "at most \(most) characters")
        faults.require(count >= least, pointer, .tooShort, "at least \(least) characters")
    }
}
