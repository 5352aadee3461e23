import ArgumentParser
import Client
import Community
import FoundationEssentials
import PlainText
import Postgres

/// A time as it is named on the command line: `24h`, `7d`, a day in UTC, or RFC 3339.
struct Moment: ExpressibleByArgument {
    private enum Form {
        case span(Duration)
        case time(Timestamp)
    }

    private let form: Form

    init?(argument: String) {
        let units: [Character: Int64] = ["m": 60, "h": 3_600, "d": 86_400, "w": 7 * 86_400]
        if let unit = argument.last.flatMap({ units[$0] }), let count = Int64(argument.dropLast()),
            (1...100_000).contains(count)
        {
            form = .span(.seconds(count * unit))
        } else if let time = Timestamp(text: argument) ?? Timestamp(text: argument + "T00:00:00Z") {
            form = .time(time)
        } else {
            return nil
        }
    }

    /// That long ago, or then.
    var past: String { text { SystemClock().now() - $0 } }
    /// In that time, or then.
    var future: String { text { SystemClock().now() + $0 } }

    private func text(_ from: (Duration) -> Timestamp) -> String {
        switch form {
        case .span(let span): from(span).text
        case .time(let time): time.text
        }
    }
}

/// What an act is done to, as the command line names it: references, or `-` for one in each line of standard input.
struct References {
    static let most = Limits.moderation.named.upperBound

    let names: [String]

    /// `kind` stands before what names none: `reader` makes `ann` `reader:ann`. Throws `CommandError`.
    init(_ arguments: [String], kind: String? = nil) throws {
        var names: [String] = []
        for argument in arguments {
            if argument != "-" {
                names.append(argument)
                continue
            }
            while names.count <= Self.most, let line = readLine() {
                // The first column of a list.
                let name = line.prefix { $0 != "\t" }.trimmed()
                if !name.isEmpty { names.append(name) }
            }
        }
        guard names.count <= Self.most else {
            throw CommandError(
                .invalid, "more than \(Self.most) things at once; name fewer, or let --author, --since, … find them")
        }
        guard !names.isEmpty else {
            throw CommandError(
                .invalid,
                "nothing is named: name what is meant, read it with -, or find it with --since, --author, --email-domain, --text or --link-domain"
            )
        }
        self.names = names.map { name in
            guard let kind, !name.contains(":") else { return name }
            return kind + ":" + (name.hasPrefix("@") ? String(name.dropFirst()) : name)
        }
    }
}

extension ModerationDoor.Value {
    /// A member as a cell of a list: nothing for null.
    func cell(_ name: String) -> String {
        switch self[name] {
        case .string(let text): text
        case .number(let number): number == number.rounded() ? String(Int(number)) : String(number)
        case .bool(let bool): bool ? "yes" : "no"
        default: ""
        }
    }

    /// A number; 0 for anything else.
    func count(_ name: String) -> Int { self[name]?.number.map { Int($0) } ?? 0 }

    /// The reader in a member, as readers are called.
    func reader(_ name: String) -> String { self[name]?["username"]?.string.map { "@" + $0 } ?? "" }

    /// The same with another member, unless that is null.
    func with(_ name: String, _ value: Self?) -> Self {
        guard case .object(var members) = self, let value else { return self }
        members[name] = value
        return .object(members)
    }
}
