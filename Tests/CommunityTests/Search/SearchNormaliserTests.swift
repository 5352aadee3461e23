import Community
import TestSupport
import Testing

@Suite struct SearchNormaliserTests {
    @Test(
        arguments: [
            ("The Hunger Games", "the hunger games"), ("Café  Müller!", "cafe muller"), ("Ender's Game", "enders game"),
            ("Ender’s Game", "enders game"), ("J.R.R. Tolkien", "j r r tolkien"),
            ("Encyclopædia Œuvre Straße", "encyclopaedia oeuvre strasse"),
            ("Łódź øre đak", "lodz ore dak"), ("ﬁne ２０００", "fine 2000"), ("東京都", "東京 京都"), ("東", "東"),
            ("ガラスの靴 2", "ガラ ラス スの の靴 2"), ("한국어 책", "한국어 책"), ("Преступление и наказаниё", "преступление и наказание"),
            ("İstanbul", "istanbul"), ("", ""), ("!?…—", ""), ("1984", "1984"), ("שָׁלוֹם", "שלום"), ("हिन्दी", "हिन्दी"),
        ])
    func `titles fold to comparable words`(text: String, folded: String) {
        #expect(Normaliser.fold(text) == folded)
    }

    @Test func `folding what is folded changes nothing, and case never matters`() {
        let random = TestRandom(for: "folding")
        let letters = Array("aZé'’.-ßÆœø東京ガグ한국Ωςñ̈️٠١ك ⅓ﬃǅ_😀\u{200D}\u{0}")
        for _ in 0..<1000 {
            let text = String(random.bytes(12).map { letters[Int($0) % letters.count] })
            let folded = Normaliser.fold(text)
            #expect(Normaliser.fold(folded) == folded, "\(text.debugDescription)")
            #expect(Normaliser.fold(text.lowercased()) == folded, "\(text.debugDescription)")
            #expect(!folded.hasPrefix(" ") && !folded.hasSuffix(" ") && !folded.contains("  "))
        }
    }
}
