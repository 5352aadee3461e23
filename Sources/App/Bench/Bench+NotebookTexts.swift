import Community
import FoundationEssentials
import Glibc

/// What made-up notes say: passages of words that are as often as words of a language are, and the words as a search
/// finds them, made by what the program makes them with.
///
/// The same at every call. A note says two passages, so that there are many more notes than passages.
struct BenchNotebookTexts: Sendable {
    /// Text, and its words in the text form of a `tsvector`.
    struct Said: Sendable {
        let texts: [String]
        let words: [String]

        fileprivate init(_ texts: [String]) {
            self.texts = texts
            words = texts.map { WordVector.text(title: nil, plain: $0) }
        }
    }

    let passages: Said
    let titles: Said

    /// The word of rank n is said 1/n times as often as the first one.
    private static let vocabulary = words(30_000)
    /// As many as the notes of the reader whose notes are searched: each passage stands in two of these.
    static let count = 20_000

    init() {
        var dice = Dice()
        passages = Said((0..<Self.count).map { _ in Self.sentence(of: 12 + dice.roll(24), &dice) + "." })
        titles = Said((0..<1_000).map { _ in Self.sentence(of: 2 + dice.roll(4), &dice) })
    }

    /// Words of these ranks, long enough to be misspelt.
    static func words(ranked ranks: Range<Int>) -> [String] {
        vocabulary[ranks].filter { $0.count >= 6 }
    }

    private static func sentence(of count: Int, _ dice: inout Dice) -> String {
        (0..<count).map { _ in vocabulary[dice.rank(below: vocabulary.count)] }.joined(separator: " ")
    }

    /// What every sentence is held together by, then words of syllables.
    private static func words(_ count: Int) -> [String] {
        let short = """
            the and of to a in he was that it his her with as had she not at for on you is be but they by which him my \
            have from this all so me were one no an or
            """
        var words = short.split(separator: " ").map(String.init)
        var known = Set(words)
        let (heads, hearts) = (
            Array("bcdfghklmnprstvw").map(String.init) + ["br", "ch", "st", "tr", "sh"], Array("aeiou")
        )
        let tails = ["", "", "n", "r", "s", "l", "nd"]
        var dice = Dice()
        while words.count < count {
            var word = ""
            for _ in 0..<2 + dice.roll(3) {
                word +=
                    heads[dice.roll(heads.count)] + String(hearts[dice.roll(hearts.count)])
                    + tails[dice.roll(tails.count)]
            }
            if known.insert(word).inserted { words.append(word) }
        }
        return words
    }

    /// Numbers that come in the same order every time.
    private struct Dice {
        private var state: UInt64 = 20_000

        /// 0 up to below `count`.
        mutating func roll(_ count: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int((state >> 33) % UInt64(count))
        }

        /// 0 often, and others the less the higher they are.
        mutating func rank(below count: Int) -> Int {
            let share = Double(roll(1 << 30)) / Double(1 << 30)
            return min(count - 1, Int(exp(share * log(Double(count + 1)))) - 1)
        }
    }
}
