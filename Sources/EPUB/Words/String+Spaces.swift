extension StringProtocol {
    /// Without white space of ASCII at both ends.
    var trimmed: String {
        let isSpace = { (byte: UInt8) in byte == 0x20 || (0x09...0x0D).contains(byte) }
        var bytes = Substring(self).utf8
        while let first = bytes.first, isSpace(first) { bytes.removeFirst() }
        while let last = bytes.last, isSpace(last) { bytes.removeLast() }
        return String(Substring(bytes))
    }

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
