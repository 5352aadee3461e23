/// Names of languages as sources write them, and their BCP 47 tags.
package enum Languages {
    /// `en` for `eng`, `en-GB` for `en-GB`, `fr` for `/languages/fre`; other three-letter codes stay as they are. `nil`
    /// for `mul`, `und` and anything that is no code.
    package static func tag(_ text: some StringProtocol) -> String? {
        let code = text.hasPrefix("/languages/") ? String(text.dropFirst(11)) : String(text)
        let parts = code.split(separator: "-", omittingEmptySubsequences: false)
        guard let first = parts.first, (2...3).contains(first.utf8.count), parts.count <= 3,
            parts.allSatisfy({ (1...8).contains($0.utf8.count) && $0.utf8.allSatisfy(isLetterOrDigit) })
        else { return nil }
        let language = first.lowercased()
        guard !["und", "mul", "zxx", "mis"].contains(language) || parts.count > 1 else { return nil }
        guard language.utf8.allSatisfy({ (97...122).contains($0) }) else { return nil }
        let primary = twoLetters[language] ?? language
        let rest = parts.dropFirst().map { $0.utf8.count == 2 ? $0.uppercased() : String($0) }
        return ([primary] + rest).joined(separator: "-")
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
    }

    /// ISO 639-2 (both kinds, where they differ) to ISO 639-1.
    private static let twoLetters: [String: String] = {
        let pairs = """
            afr af alb sq sqi sq amh am ara ar arg an arm hy hye hy asm as aze az baq eu eus eu bel be ben bn bos bs bre br bul bg bur my mya my \
            cat ca chi zh zho zh cos co cze cs ces cs wel cy cym cy dan da dut nl nld nl eng en epo eo est et fao fo fij fj fin fi fre fr fra fr \
            fry fy geo ka kat ka ger de deu de gla gd gle ga glg gl gre el ell el grn gn guj gu hat ht hau ha heb he hin hi hrv hr hun hu ice is \
            isl is ibo ig ind id ita it jav jv jpn ja kan kn kaz kk khm km kin rw kir ky kor ko kur ku lao lo lat la lav lv lit lt ltz lb mac mk \
            mkd mk mal ml mao mi mri mi mar mr may ms msa ms mlg mg mlt mt mon mn nav nv nep ne nob nb nno nn nor no nya ny oci oc ori or orm om \
            pan pa per fa fas fa pol pl por pt pus ps que qu roh rm rum ro ron ro run rn rus ru san sa scc sr scr hr sin si slo sk slk sk slv sl \
            sme se smo sm sna sn snd sd som so sot st spa es srd sc srp sr sun su swa sw swe sv tah ty tam ta tat tt tel te tgk tg tgl tl tha th \
            tib bo bod bo tir ti ton to tsn tn tso ts tuk tk tur tr twi tw uig ug ukr uk urd ur uzb uz ven ve vie vi vol vo wln wa wol wo xho xh \
            yid yi yor yo zha za zul zu
            """.split(separator: " ").map(String.init)
        var table: [String: String] = [:]
        for index in stride(from: 0, to: pairs.count - 1, by: 2) { table[pairs[index]] = pairs[index + 1] }
        return table
    }()

    /// What tesseract calls the language of a BCP 47 tag: `deu` for `de-AT`, `chi_tra` for `zh-Hant`; `nil` for what is
    /// no tag.
    package static func tesseractName(_ tag: String) -> String? {
        let parts = tag.split(separator: "-").map(String.init)
        guard let first = parts.first?.lowercased(), (2...3).contains(first.utf8.count),
            first.utf8.allSatisfy({ (97...122).contains($0) })
        else { return nil }
        let isTraditional = !Set(parts.dropFirst()).isDisjoint(with: ["Hant", "TW", "HK", "MO"])
        switch twoLetters[first] ?? first {
        case "zh": return isTraditional ? "chi_tra" : "chi_sim"
        case "sr": return parts.contains("Latn") ? "srp_latn" : "srp"
        case let code: return threeLetters[code] ?? (code.utf8.count == 3 ? code : nil)
        }
    }

    /// ISO 639-1 to the terminological codes of ISO 639-2, which tesseract goes by, but for what it calls otherwise.
    private static let threeLetters: [String: String] = {
        var table: [String: String] = [:]
        for (three, two) in twoLetters where !bibliographic.contains(three) { table[two] = three }
        return table.merging(["nb": "nor", "nn": "nor", "ku": "kmr"]) { $1 }
    }()

    private static let bibliographic: Set<String> = [
        "alb", "arm", "baq", "bur", "chi", "cze", "dut", "fre", "geo", "ger", "gre", "ice", "mac", "mao", "may", "per",
        "rum", "scc", "scr", "slo", "tib", "wel",
    ]
}
