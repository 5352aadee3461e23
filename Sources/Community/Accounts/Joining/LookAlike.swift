import CICU

/// How a name looks, so that nothing passes for the server's own by other letters of the same form.
enum LookAlike {
    /// What `text` may be taken for, letters and digits alone: names share one where they look the same, whatever their
    /// case and their alphabet. The second form is of capitals that look like another letter's small one.
    static func forms(of text: String) -> Set<String> {
        let visible = visible(text)
        return [skeleton(plain(visible)), skeleton(plain(skeleton(visible)))]
    }

    /// The forms of the server's own names, as they are written and in capitals.
    static func forms(ofNames names: some Sequence<String>) -> Set<String> {
        names.reduce(into: []) { $0.formUnion(forms(of: $1).union(forms(of: $1.uppercased()))) }
    }

    /// The words of a name. What nobody sees parts none.
    static func words(of text: String) -> [String] {
        visible(text).split { !$0.isLetter && !$0.isNumber }.map(String.init)
    }

    private static func visible(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.filter { !$0.properties.isDefaultIgnorableCodePoint }))
    }

    /// The skeleton of Unicode's technical standard 39: equal for texts that look the same in one case.
    static func skeleton(_ text: String) -> String {
        guard let checker = checker.pointer else { return text }
        let bytes = Array(text.utf8).map { CChar(bitPattern: $0) }
        // A character becomes 18 others at most, of 4 bytes each.
        var skeleton = [CChar](repeating: 0, count: 18 * 4 * bytes.count + 1)
        let count = commonplace_spoof_skeleton(checker, bytes, Int32(bytes.count), &skeleton, Int32(skeleton.count))
        guard count >= 0 else { return text }
        return String(decoding: skeleton.prefix(Int(count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Folded as searches are, without spaces, and those letters as Latin ones that are told apart only on a close
    /// look.
    private static func plain(_ text: String) -> String {
        String(Normaliser.fold(text).compactMap { $0 == " " ? nil : near[$0] ?? $0 })
    }

    /// What the standard keeps apart: Cyrillic and Greek small letters in the form of Latin capitals, and digits.
    private static let near: [Character: Character] = [
        "в": "b", "к": "k", "м": "m", "н": "h", "т": "t", "β": "b", "ε": "e", "η": "n", "ι": "i", "κ": "k", "ν": "v",
        "τ": "t", "υ": "u", "χ": "x", "0": "o", "1": "l",
    ]

    /// ICU's checker, which any number of threads may ask; made once.
    private struct Checker: @unchecked Sendable { let pointer: UnsafeRawPointer? }
    private static let checker = Checker(pointer: commonplace_spoof_open())
}
