extension String {
    /// With spaces behind it up to `count` characters; a longer one stays as it is.
    package func padded(to count: Int) -> String {
        self + String(repeating: " ", count: Swift.max(0, count - self.count))
    }
}

extension StringProtocol {
    /// Without the white space at both ends, or what else is blank.
    package func trimmed(_ isBlank: (Character) -> Bool = \.isWhitespace) -> String {
        let head = drop(while: isBlank)
        guard let last = head.lastIndex(where: { !isBlank($0) }) else { return "" }
        return String(head[...last])
    }
}
