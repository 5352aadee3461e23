import HTTPTypes
import Hummingbird
import JSONWriting
import Web

/// How this browser wants books and pages to look: words of two cookies, which scripts set too.
struct Look: JSONForm {
    private static let names = ["size", "theme", "width"]
    private static let known: Set<String> = [
        "small", "medium", "large", "huge", "light", "sepia", "dark", "narrow", "wide",
    ]
    private static let year = 365 * 86_400
    private var words: [String: String] = [:]

    init(of request: Request) {
        let value = Cookie(name: "look", isSecure: false).value(in: request.headers[values: .cookie]) ?? ""
        for (name, word) in zip(Self.names, value.split(separator: ".", omittingEmptySubsequences: false)) {
            if Self.known.contains(String(word)) { words[name] = String(word) }
        }
    }

    init(of sent: Sent) {
        for name in Self.names {
            if let word = sent[name], Self.known.contains(word) { words[name] = word }
        }
    }

    /// Light or dark, where the reader chose; `nil` for what the browser prefers.
    static func theme(of request: Request) -> String? {
        Cookie(name: "theme", isSecure: false).value(in: request.headers[values: .cookie]).flatMap {
            ["light", "dark"].contains($0) ? $0 : nil
        }
    }

    func cookie(isSecure: Bool) -> String {
        let value = Self.names.map { words[$0] ?? "" }.joined(separator: ".")
        return Cookie(name: "look", isSecure: isSecure).setting(value, seconds: Self.year, isForScripts: true)
    }

    func put(into object: JSONObject) {
        for name in Self.names { object.put(named: name, words[name] ?? "") }
    }
}
