extension String {
    /// With spaces behind it up to `count` characters; a longer one stays as it is.
    package func padded(to count: Int) -> String {
        self + String(repeating: " ", count: Swift.max(0, count - self.count))
    }
}

extension StringProtocol {
    /// Without the scalars at both ends that `isBlank` accepts: white space by Unicode's definition, unless told otherwise.
    package func trimmed(_ isBlank: (Unicode.Scalar) -> Bool = \.properties.isWhitespace) -> String {
        let head = Substring(self).unicodeScalars.drop { isBlank($0) }
        guard let last = head.lastIndex(where: { !isBlank($0) }) else { return "" }
        return String(head[...last])
    }
}
