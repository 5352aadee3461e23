import Client
import Community

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
