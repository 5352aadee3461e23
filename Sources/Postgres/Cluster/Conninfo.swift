import CLibpq
import FoundationEssentials

/// A libpq connection string taken apart.
package struct Conninfo: Sendable {
    /// As it was given.
    package let text: String
    /// What the string says, by libpq's keywords; nothing of the environment.
    package let values: [String: String]

    /// `nil` where libpq cannot read it.
    package init?(_ text: String) {
        guard let options = PQconninfoParse(text, nil) else { return nil }
        defer { PQconninfoFree(options) }
        var values: [String: String] = [:]
        var option = options
        while let keyword = option.pointee.keyword {
            if let value = option.pointee.val { values[String(cString: keyword)] = String(cString: value) }
            option += 1
        }
        self.text = text
        self.values = values
    }

    /// Every server that it names is reached through a Unix socket.
    package var isUnixSocket: Bool {
        guard values["hostaddr"] == nil, let host = values["host"] else { return false }
        return host.split(separator: ",", omittingEmptySubsequences: false).allSatisfy {
            $0.hasPrefix("/") || $0.hasPrefix("@")
        }
    }

    /// The same without the password, in the form `key='value' …`: for argument lists, which everybody on the machine can read.
    package var withoutPassword: String {
        values.filter { $0.key != "password" }.sorted { $0.key < $1.key }
            .map { "\($0.key)=\(Self.quoted($0.value))" }.joined(separator: " ")
    }

    package var password: String? { values["password"] }

    /// A value as a connection string takes it.
    package static func quoted(_ value: String) -> String {
        "'" + value.replacing("\\", with: "\\\\").replacing("'", with: "\\'") + "'"
    }
}
