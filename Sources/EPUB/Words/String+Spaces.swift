import PlainText

extension StringProtocol {
    /// Without white space of ASCII at both ends.
    var unspaced: String { trimmed { $0.isASCII && $0.properties.isWhitespace } }

    /// With one blank for each run of white space, none at the ends, no controls, and at most `limit` characters.
    func spaced(atMost limit: Int) -> String {
        var text = String.UnicodeScalarView()
        var isPending = false
        var count = 0
        for scalar in unicodeScalars {
            switch scalar {
            case " ", "\t", "\n", "\r", "\u{C}": isPending = count > 0
            default:
                guard scalar.properties.generalCategory != .control else { continue }
                guard count < limit else { return String(text) }
                if isPending { text.append(" ") }
                isPending = false
                text.append(scalar)
                count += 1
            }
        }
        return String(text)
    }
}
