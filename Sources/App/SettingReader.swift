import Configuration
import FoundationEssentials
import PlainText

/// Settings that cannot be used; every one of them at once.
struct SettingError: Error, CustomStringConvertible {
    /// What is wrong, by the setting's name.
    let faults: [(name: String, detail: String)]

    var description: String {
        faults.map { "the setting \($0.name) \($0.detail)" }.joined(separator: "\n             ")
    }
}

/// One setting as `commonplace config` shows it.
struct SettingLine: Sendable, Codable {
    let name: String
    /// Secrets as `***`, what is unset as `nil`.
    let value: String?
    /// The default, where the value is not one.
    let isDefault: Bool
    let meaning: String
}

/// Reads settings by name and remembers what each is and what is wrong.
struct SettingReader {
    private let config: ConfigReader
    /// Names that were given, flags and file included.
    private let given: Set<String>
    private var faults: [(name: String, detail: String)] = []
    private(set) var lines: [SettingLine] = []

    init(flags: [String: String], environment: [String: String], file: [String: String]) {
        given = Set(flags.keys).union(environment.keys).union(file.keys)
        config = ConfigReader(providers: [
            EnvironmentVariablesProvider(environmentVariables: flags),
            EnvironmentVariablesProvider(environmentVariables: environment),
            EnvironmentVariablesProvider(environmentVariables: file),
        ])
    }

    /// Lines of `NAME=value`; empty lines and those that begin with `#` are skipped, quotes around a value removed.
    static func parse(file text: String) -> [String: String] {
        var values: [String: String] = [:]
        for line in text.split(whereSeparator: \.isNewline) {
            let line = line.trimmed()
            guard !line.hasPrefix("#"), let equals = line.firstIndex(of: "=") else { continue }
            var value = line[line.index(after: equals)...].trimmed()
            if value.count >= 2, let quote = value.first, quote == "\"" || quote == "'", value.last == quote {
                value = String(value.dropFirst().dropLast())
            }
            values[line[..<equals].trimmed()] = value
        }
        return values
    }

    /// Sentences about names that look like settings and are none.
    var warnings: [String] {
        let known = Set(lines.map(\.name)).union(lines.map { $0.name + "_FILE" })
        return given.filter { $0.hasPrefix("COMMONPLACE_") && !known.contains($0) }.sorted().map {
            "\($0) is no setting of this program and does nothing; `commonplace config` lists those that are"
        }
    }

    mutating func fault(_ name: String, _ detail: String) { faults.append((name, detail)) }

    /// Throws every fault.
    func check() throws {
        guard !faults.isEmpty else { return }
        throw SettingError(faults: faults)
    }

    // MARK: Kinds of settings

    mutating func value<Value>(
        _ name: String, default fallback: Value, shown: (Value) -> String, _ meaning: String, _ rule: String,
        _ parse: (String) -> Value?
    ) -> Value {
        guard let text = raw(name) else {
            lines.append(SettingLine(name: name, value: shown(fallback), isDefault: true, meaning: meaning))
            return fallback
        }
        lines.append(SettingLine(name: name, value: text, isDefault: false, meaning: meaning))
        guard let value = parse(text) else {
            fault(name, rule)
            return fallback
        }
        return value
    }

    mutating func optional<Value>(_ name: String, _ meaning: String, _ rule: String, _ parse: (String) -> Value?)
        -> Value?
    {
        let text = raw(name)
        lines.append(SettingLine(name: name, value: text, isDefault: text == nil, meaning: meaning))
        guard let text else { return nil }
        let value = parse(text)
        if value == nil { fault(name, rule) }
        return value
    }

    mutating func text(_ name: String, default fallback: String, bytes: ClosedRange<Int>, _ meaning: String) -> String {
        value(
            name, default: fallback, shown: \.self, meaning,
            "must have \(bytes.lowerBound) to \(bytes.upperBound) bytes"
        ) {
            bytes.contains($0.utf8.count) ? $0 : nil
        }
    }

    mutating func integer(_ name: String, default fallback: Int, in range: ClosedRange<Int>, _ meaning: String) -> Int {
        let bounds = "\(range.lowerBound) to \(range.upperBound)"
        return value(
            name, default: fallback, shown: \.description, meaning + " \(bounds).", "must be a number from \(bounds)"
        ) {
            Int($0).flatMap { range.contains($0) ? $0 : nil }
        }
    }

    mutating func choice<Choice: RawRepresentable & CaseIterable>(
        _ name: String, default fallback: Choice, _ meaning: String
    ) -> Choice where Choice.RawValue == String {
        let names = Choice.allCases.map(\.rawValue).joined(separator: ", ")
        return value(
            name, default: fallback, shown: \.rawValue, meaning + " One of \(names).", "must be one of \(names)"
        ) {
            Choice(rawValue: $0.lowercased())
        }
    }

    mutating func list(
        _ name: String, separator: Character = ",", _ meaning: String, _ rule: String, _ isValid: (String) -> Bool
    ) -> [String] {
        optional(name, meaning, rule) { text in
            let parts = text.split(separator: separator).map { $0.trimmed() }.filter {
                !$0.isEmpty
            }
            return parts.count <= 100 && parts.allSatisfy(isValid) ? parts : nil
        } ?? []
    }

    /// A secret, or the contents of the file that `NAME_FILE` names without the newline at the end.
    mutating func secret(_ name: String, _ meaning: String) -> String? {
        let direct = raw(name, isSecret: true)
        let file = raw(name + "_FILE")
        lines.append(
            SettingLine(
                name: name, value: direct == nil && file == nil ? nil : "***", isDefault: direct == nil && file == nil,
                meaning: meaning))
        if direct != nil, file != nil { fault(name, "is given twice: directly and as \(name)_FILE") }
        guard let file else { return direct }
        guard let text = try? String(contentsOfFile: file, encoding: .utf8) else {
            fault(name + "_FILE", "names a file that cannot be read: \(file)")
            return nil
        }
        let trimmed = text.trimmed { $0 == "\n" || $0 == "\r" }
        if trimmed.isEmpty { fault(name + "_FILE", "names an empty file: \(file)") }
        return trimmed
    }

    mutating func secretBytes(_ name: String, atLeast count: Int, _ meaning: String) -> [UInt8]? {
        guard let text = secret(name, meaning) else { return nil }
        let bytes = [UInt8](hexadecimal: text) ?? Data(base64Encoded: text).map(Array.init)
        guard let bytes, bytes.count >= count else {
            fault(name, "must be at least \(count) bytes in base64 or hexadecimal")
            return nil
        }
        return bytes
    }

    private func raw(_ name: String, isSecret: Bool = false) -> String? {
        let key = ConfigKey(name.lowercased().split(separator: "_").map(String.init))
        guard let text = config.string(forKey: key, isSecret: isSecret), !text.isEmpty else { return nil }
        return text
    }
}

extension [UInt8] {
    /// Reads an even number of hexadecimal digits; `nil` for anything else.
    init?(hexadecimal text: String) {
        guard text.utf8.count.isMultiple(of: 2), !text.isEmpty else { return nil }
        self = []
        var rest = text[...]
        while !rest.isEmpty {
            guard let byte = UInt8(rest.prefix(2), radix: 16), rest.first != "+", rest.first != "-" else { return nil }
            append(byte)
            rest = rest.dropFirst(2)
        }
    }
}
