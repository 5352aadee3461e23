import ArgumentParser

/// Where the words of a command line lead: from the program to one of its commands.
struct CommandPath {
    private(set) var commands: [any ParsableCommand.Type] = [App.self]
    /// The first word that is none of the last command's own commands; `nil` where there is none, and behind a command that has none.
    private(set) var unknown: String?

    init(_ words: [String]) {
        var words = words[...]
        if words.first == "help" { words = words.dropFirst() }
        for word in words {
            guard !last.configuration.subcommands.isEmpty, !word.hasPrefix("-") else { return }
            guard let next = last.configuration.subcommands.first(where: { $0._commandName == word }) else {
                if word != "help" || commands.count > 1 { unknown = word }
                return
            }
            commands.append(next)
        }
    }

    /// The command that the words lead to.
    var last: any ParsableCommand.Type { commands.last ?? App.self }

    /// `commonplace admin users`.
    var name: String { commands.map { $0._commandName }.joined(separator: " ") }

    /// Throws `CommandError`, with exit code 64, for a word that is no command: says what is near, and all that there are.
    func check() throws {
        guard let unknown else { return }
        let names = last.configuration.subcommands.filter { $0.configuration.shouldDisplay }.map { $0._commandName }
        var near = Nearest.words(to: unknown, among: names)
        if let meant = Self.meant[unknown], names.contains(meant) { near.insert(meant, at: 0) }
        near = near.map { name + " " + $0 } + Self.paths(to: unknown).filter { !$0.hasPrefix(name + " " + unknown) }
        let question = near.isEmpty ? "" : " Did you mean \(Self.list(near.prefix(3).map { "`\($0)`" }))?"
        throw CommandError(
            .usage,
            "`\(name)` has no command \(unknown).\(question)\nIt has: \(names.joined(separator: ", ")).\n"
                + "`\(name) --help` says what they do.")
    }

    /// What beginners call some commands.
    private static let meant = [
        "start": "serve", "run": "serve", "server": "serve", "up": "serve", "dump": "backup", "status": "doctor",
        "load": "import", "settings": "config", "worker": "work", "books": "catalog", "ls": "list", "get": "show",
        "ban": "suspend",
    ]

    /// The commands of this name, wherever they stand, as they are written.
    private static func paths(to word: String) -> [String] {
        func below(_ command: any ParsableCommand.Type, _ path: String) -> [String] {
            command.configuration.subcommands.flatMap { next -> [String] in
                let here = path + " " + next._commandName
                return (next._commandName == word ? [here] : []) + below(next, here)
            }
        }
        return below(App.self, App._commandName)
    }

    private static func list(_ words: [String]) -> String {
        guard let last = words.last, words.count > 1 else { return words.first ?? "" }
        return words.dropLast().joined(separator: ", ") + " or " + last
    }

    /// What to say of an option that the command does not have.
    func complaint(about option: String, options: [String]) -> String {
        var near = Nearest.words(to: option, among: options)
        if let meant = Self.meantOption[option], options.contains(meant), !near.contains(meant) {
            near.insert(meant, at: 0)
        }
        let question = near.isEmpty ? "" : " Did you mean \(Self.list(near))?"
        return "`\(name)` has no option \(option).\(question)\nIt has: \(options.joined(separator: ", ")).\n"
            + "`\(name) --help` says what they do."
    }

    /// What other programs call some options.
    private static let meantOption = [
        "--port": "--listen", "--host": "--listen", "--address": "--listen", "--bind": "--listen", "-p": "--listen",
        "--url": "--public-url", "--data": "--data-dir", "--folder": "--data-dir", "--verbose": "--log-level",
        "-v": "--log-level", "--debug": "--log-level", "--quiet": "--log-level", "--output": "--format",
        "-o": "--format",
        "-f": "--config", "--file": "--config", "-n": "--limit", "--token": "--token-file",
    ]
}
