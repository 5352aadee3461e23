import Client
import Community

/// Messages as sentences for a person at a terminal.
enum Sentence {
    /// `text` with a capital letter, if it begins with a plain word, and with a full stop, unless it ends with a command to copy.
    static func finished(_ text: String) -> String {
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
    static func fault(_ pointer: String, _ code: String, _ detail: String, option: String? = nil) -> String {
        let isField = pointer.hasPrefix("/") || pointer.hasPrefix("?")
        guard isField || option != nil else {
            return finished(pointer.isEmpty ? detail : pointer + ": " + detail)
        }
        let field = option ?? field(pointer)
        let subject = option ?? "The " + field
        let advice = code == "taken" && !detail.contains("another") ? ": choose another" : ""
        let plain = detail.last == "." ? String(detail.dropLast()) : detail
        if verbs.contains(String(plain.prefix { $0 != " " })) { return finished(subject + " " + plain + advice) }
        if bounds.contains(where: plain.hasPrefix) || plain.first?.isNumber == true {
            return finished(subject + " must have " + plain)
        }
        let isNamed = plain.lowercased().contains(field.lowercased())
        return isNamed && option == nil ? finished(plain + advice) : finished(field + ": " + plain + advice)
    }

    /// `/also/book_id` is the `book id`.
    private static func field(_ pointer: String) -> String {
        let parts = pointer.split { "/?".contains($0) }
        let name = parts.last { Int($0) == nil } ?? "input"
        let place = parts.last.flatMap { Int($0) }
        return name.replacing("_", with: " ") + (place.map { " (no. \($0 + 1))" } ?? "")
    }

    /// With which a fault goes on after its field.
    private static let verbs: Set<String> = [
        "is", "are", "must", "may", "has", "have", "holds", "belongs", "lies", "names", "was", "stands", "needs",
        "takes", "cannot", "does", "needs",
    ]
    private static let bounds = ["at most ", "at least "]

    private static func endsInCommand(_ text: String) -> Bool {
        guard let start = text.ranges(of: ": ").last?.upperBound else { return false }
        return ["commonplace ", "chmod ", "createdb ", "select "].contains { text[start...].hasPrefix($0) }
    }
}

extension Failure {
    /// The failure as one or more sentences for a terminal.
    var sentence: String {
        switch self {
        case .unauthenticated(let detail), .wrongCredentials(let detail), .preconditionFailed(let detail):
            Sentence.finished(detail)
        case .forbidden(_, let detail), .conflict(_, let detail): Sentence.finished(detail)
        case .notFound(let what): Sentence.finished("there is no \(what)")
        case .invalid(let faults):
            faults.map { Sentence.fault($0.pointer, $0.code.rawValue, $0.detail) }.joined(separator: " ")
        case .limited(_, let wait): "That was too often: try again in \(wait.components.seconds + 1) s."
        case .busy(let detail, _): Sentence.finished(detail)
        }
    }
}

extension ClientError {
    /// The error as one or more sentences for a terminal.
    var sentence: String {
        guard case .refused(let problem) = self else { return Sentence.finished(description) }
        let faults = problem.errors.map { fault in
            Sentence.fault(
                fault.pointer ?? "", fault.code ?? "", fault.detail ?? fault.code ?? "",
                option: Self.option(fault.pointer ?? ""))
        }
        return OutputOptions.cell(
            faults.isEmpty
                ? Sentence.finished(problem.detail ?? "\(problem.status) \(problem.title)")
                : faults.joined(separator: " "))
    }

    /// What a field of the API is called on the command line: `/query/link_domain` and `?link_domain` are `--link-domain`. `nil` for what
    /// is no option.
    private static func option(_ pointer: String) -> String? {
        guard let name = pointer.split(whereSeparator: { "/?".contains($0) }).first(where: { $0 != "query" }),
            name != "targets", name != "target"
        else { return nil }
        return "--" + name.replacing("_", with: "-")
    }
}
