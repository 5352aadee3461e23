import CICU

/// The forms of Unicode's annex 15: composed or decomposed, by canonical equivalence or (K) by compatibility too.
package enum NormalForm: Int32, Sendable {
    case nfc, nfd, nfkc, nfkd
}

extension StringProtocol {
    /// The text in a normal form, by ICU.
    package func normalised(_ form: NormalForm) -> String {
        let text = Array(utf16)
        var result: [UInt16] = []
        // Room for most. Where it is too short ICU says how long the form is, and the second time it fits.
        var wanted = Int32(2 * text.count + 8)
        repeat {
            result = [UInt16](repeating: 0, count: Int(wanted))
            wanted = commonplace_normalise(form.rawValue, text, Int32(text.count), &result, Int32(result.count))
        } while wanted > result.count
        precondition(wanted >= 0, "ICU fails")
        return String(decoding: result[..<Int(wanted)], as: UTF16.self)
    }
}
