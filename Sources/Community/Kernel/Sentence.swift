/// Messages as sentences for people: on the API, where each stands beside its code, and at a terminal.
package enum Sentence {
    /// `text` with a capital letter, if it begins with a plain word, and with a full stop, unless it ends with a command to copy.
    package static func finished(_ text: String) -> String {
        var text = text
        let word = text.prefix { $0 != " " }
        if word.allSatisfy({ ("a"..."z").contains($0) || $0 == "," || $0 == ":" }), let first = text.first {
            text = first.uppercased() + text.dropFirst()
        }
        guard let last = text.last, !".!?:\u{2026}".contains(last), !endsInCommand(text) else { return text }
        return text + "."
    }

    /// A fault of one field: `/username` that `is taken` is “The username is taken: choose another.”
    ///
    /// - Parameter option: What the field is called on the command line, if it is an option there.
    package static func fault(_ pointer: String, _ code: String, _ detail: String, option: String? = nil) -> String {
        guard pointer.hasPrefix("/") || pointer.hasPrefix("?") || option != nil else {
            return finished(pointer.isEmpty ? detail : pointer + ": " + detail)
        }
        let own = subject(of: pointer)
        let subject = option ?? own
        // The server has made a sentence of it already.
        if detail.hasPrefix(own + " ") { return finished(subject + detail.dropFirst(own.count)) }
        let plain = detail.last == "." ? String(detail.dropLast()) : detail
        if verbs.contains(String(plain.prefix { $0 != " " })) {
            let advice = code == "taken" && !detail.contains("another") ? ": choose another" : ""
            return finished(subject + " " + plain + advice)
        }
        if bounds.contains(where: plain.hasPrefix) || plain.first?.isNumber == true {
            return finished(subject + " must have " + plain)
        }
        return finished(option.map { $0 + ": " + plain } ?? plain)
    }

    /// `/also/book_id` is “The book id”, `?link_domain` is “`link_domain`”, `/books/0` is “The books (no. 1)”.
    private static func subject(of pointer: String) -> String {
        if pointer.hasPrefix("?") { return "`\(pointer.dropFirst())`" }
        let parts = pointer.split(separator: "/")
        let name = String(parts.last { Int($0) == nil } ?? "body")
        let place = parts.last.flatMap { Int($0) }
        let subject = noNouns.contains(name) ? "`\(name)`" : "The " + name.replacing("_", with: " ")
        return subject + (place.map { " (no. \($0 + 1))" } ?? "")
    }

    /// Fields that no article fits.
    private static let noNouns: Set<String> = [
        "after", "also", "due", "finished", "into", "of", "seq", "since", "started", "until", "upto", "uses",
    ]

    /// With which a fault goes on after its field.
    private static let verbs: Set<String> = [
        "is", "are", "must", "may", "has", "have", "holds", "belongs", "lies", "names", "was", "stands", "needs",
        "takes", "cannot", "does", "goes", "says",
    ]
    private static let bounds = ["at most ", "at least "]

    private static func endsInCommand(_ text: String) -> Bool {
        guard let start = text.ranges(of: ": ").last?.upperBound else { return false }
        return ["commonplace ", "chmod ", "createdb ", "select "].contains { text[start...].hasPrefix($0) }
    }
}
