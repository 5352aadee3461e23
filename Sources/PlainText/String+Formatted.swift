import Glibc

extension String {
    /// What C's `printf` makes of `format`, with a point before decimals whatever the language. At most 1,023 bytes:
    /// the rest is cut off.
    package init(format: String, _ arguments: any CVarArg...) {
        var text = [CChar](repeating: 0, count: 1_024)
        let length = withVaList(arguments) { vsnprintf(&text, text.count, format, $0) }
        let end = Swift.min(Swift.max(Int(length), 0), text.count - 1)
        self = String(decoding: text[..<end].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
