import JSONWriting
import Postgres

extension ID: JSONWritable {
    package func write(to output: JSONOutput) { output.write(quoted: rawValue) }
}

extension Timestamp: JSONWritable {
    package func write(to output: JSONOutput) { output.write(output.isExact ? exactText : text) }

    /// RFC 3339 with microseconds: what keyset cursors need, since Postgres compares all six digits.
    private var exactText: String {
        let below = microseconds - milliseconds * 1000
        let digits = String(below)
        return String(text.dropLast()) + String(repeating: "0", count: 3 - digits.count) + digits + "Z"
    }
}
