import Community
import Foundation
import TestSupport
import Testing

/// Every message that a reader may see, read from the sources as the server says it, in one list: `messages.txt`.
@Suite struct MessagesTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    private static let list = folder.appending(path: "messages.txt")

    /// To write the list anew: `COMMONPLACE_MESSAGES=write`. Read it aloud, what changed above all.
    @Test func `every message is a whole sentence, and stands in the list`() throws {
        var said: Set<String> = []
        for meaning in ProblemCode.allCases.map(\.meaning) { said.insert(meaning.sentence) }
        for code in FaultCode.allCases { said.insert(code.sentence) }
        for message in try Self.messages() { said.insert(message) }
        #expect(said.count > 500)
        for message in said.sorted() {
            for problem in Self.troubles(of: message) { Issue.record("\(problem): \(message)") }
        }
        let text = said.sorted().joined(separator: "\n") + "\n"
        if ProcessInfo.processInfo.environment["COMMONPLACE_MESSAGES"] == "write" {
            try Data(text.utf8).write(to: Self.list)
        }
        let known = Set(try String(contentsOf: Self.list, encoding: .utf8).split(separator: "\n").map(String.init))
        #expect(said.subtracting(known) == [] && known.subtracting(said) == [], "COMMONPLACE_MESSAGES=write")
    }

    @Test(arguments: [
        "there is none.", "No end", "There is no a review of this book.", "What is told is told.",
        "It is for whoever asks.", "Taken.",
    ])
    func `what is no plain sentence is found`(text: String) {
        #expect(!Self.troubles(of: text).isEmpty)
    }

    private static func troubles(of message: String) -> [String] {
        var troubles: [String] = []
        if let first = message.first, first.isLowercase { troubles.append("begins small") }
        if !".!?…".contains(message.last ?? " ") { troubles.append("has no end") }
        if message.firstMatch(of: #/\bno (a|an|the) |\b(a|an|the) (a|an|the) /#) != nil {
            troubles.append("has two articles")
        }
        if message.firstMatch(of: /\b(whoever|whom|whose|that which|what is told)\b/.ignoresCase()) != nil {
            troubles.append("is hard to read")
        }
        for sentence in message.split(separator: #/[.:;?!] /#) where sentence.split(separator: " ").count > 30 {
            troubles.append("is longer than 30 words")
        }
        if message.firstMatch(of: /must have 7 \w+ (is|are|does|do|fit|has)\b/) != nil {
            troubles.append("begins with a value")
        }
        if message.split(separator: " ").count < 2 { troubles.append("is one word") }
        return troubles
    }

    // MARK: Reading the sources

    private static func messages() throws -> [String] {
        let root = folder.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        var messages: [String] = []
        for part in ["Sources/Community", "Sources/Web"] {
            let files = FileManager.default.enumerator(atPath: root.appending(path: part).path)
            while let name = files?.nextObject() as? String {
                guard name.hasSuffix(".swift") else { continue }
                let text = try String(contentsOf: root.appending(path: part + "/" + name), encoding: .utf8)
                messages += read(Array(text))
            }
        }
        return messages
    }

    private static let refusals: Set<String> = [
        "Problem", "init", "forbidden", "conflict", "busy", "unauthenticated", "wrongCredentials", "preconditionFailed",
    ]
    private static let faults: Set<String> = ["invalid", "add", "require", "Fault"]

    /// What the calls in a source say.
    private static func read(_ source: [Character]) -> [String] {
        var messages: [String] = []
        var word = ""
        for (index, character) in source.enumerated() {
            if character.isLetter {
                word.append(character)
                continue
            }
            let name = word
            word = ""
            guard character == "(", refusals.contains(name) || faults.contains(name) || name == "notFound" else {
                continue
            }
            // The problem's own; others are no messages.
            if name == "init", index < 10 || String(source[index - 9..<index]) != "self.init" { continue }
            let call = Call(source, from: index + 1)
            guard var literals = Optional(call.literals), let last = literals.popLast() else { continue }
            if name == "notFound" {
                messages.append(Sentence.finished("There is no \(last), or you may not see it."))
            } else if faults.contains(name) {
                // A fault names its code; a set that something is added to does not.
                guard let code = call.codes.first, last.contains(" "), last.contains(/[a-z]{2}/) else { continue }
                let first = (literals.first ?? "/field").replacing("7", with: "field")
                messages.append(Sentence.fault(first == "?" || first == "/" ? first + "field" : first, code, last))
            } else if last.contains(" ") {
                messages.append(Sentence.finished(last))
            }
        }
        return messages
    }
}

/// The arguments of a call in a source: its string literals, what is joined by `+` as one, and its cases, `.taken`.
private struct Call {
    private(set) var literals: [String] = []
    private(set) var codes: [String] = []

    init(_ source: [Character], from start: Int) {
        // `isValue`: what was joined last is no literal.
        var (index, depth, isJoined, isValue, word) = (start, 1, false, false, "")
        while index < source.count, depth > 0 {
            let character = source[index]
            if character == "\"" {
                let text = Self.literal(source, &index)
                // Such as the separator in `", "`, which is no argument.
                guard depth == 1 else { continue }
                if isJoined, let last = literals.popLast() {
                    literals.append(last + text)
                } else {
                    literals.append(text)
                }
                (isJoined, isValue) = (false, false)
                continue
            }
            if word.hasPrefix("."), !character.isLetter {
                if word.count > 1 { codes.append(String(word.dropFirst())) }
                word = ""
            }
            switch character {
            case "(", "[", "{": depth += 1
            case ")", "]", "}": depth -= 1
            case "+" where depth == 1:
                if isValue, let last = literals.popLast() { literals.append(last + "7") }
                (isJoined, isValue) = (true, true)
            case ".": word = "."
            case _ where character.isLetter && !word.isEmpty: word.append(character)
            case "," where depth == 1: (isJoined, isValue) = (false, false)
            default: break
            }
            index += 1
        }
        if isJoined, isValue, let last = literals.popLast() { literals.append(last + "7") }
    }

    /// The text of a literal, with 7 in the place of what is put in; `index` goes from its first quotation mark behind its last.
    private static func literal(_ source: [Character], _ index: inout Int) -> String {
        var text = ""
        index += 1
        while index < source.count, source[index] != "\"" {
            guard source[index] == "\\", index + 1 < source.count else {
                text.append(source[index])
                index += 1
                continue
            }
            index += 2
            guard source[index - 1] == "(" else {
                text.append(source[index - 1])
                continue
            }
            text.append("7")
            var depth = 1
            while index < source.count, depth > 0 {
                if source[index] == "\"" {
                    _ = literal(source, &index)
                    continue
                }
                depth += source[index] == "(" ? 1 : source[index] == ")" ? -1 : 0
                index += 1
            }
        }
        index += 1
        return text
    }
}
