import TestSupport
import Testing

@testable import Community
@testable import MarkdownReading

/// What must hold for every text, on texts made by chance.
@Suite struct MarkdownFuzzTests {
    /// The words of the form `q17q` in `text`, in order.
    private func words(in text: String) -> [String] { text.matches(of: #/q[0-9]+q/#).map { String($0.output) } }

    @Test func `any text comes out balanced, allowed, bounded, and its veiled form without its spoilers`() {
        let random = TestRandom()
        var (spoilers, links) = (0, 0)
        for round in 0..<ProofCount.of(40_000) {
            var maker = MarkdownMaker(random)
            let source = maker.text(most: round % 100 == 0 ? 600 : 40)
            let (text, steps) = Markdown.measure(source)
            let whole = MarkdownFragment(text.html)
            let note = "round \(round) of seed \(TestRandom.seed): \(source.debugDescription)"
            guard whole.faults.isEmpty, whole.withheld == 0 else {
                Issue.record("\(whole.faults) \(note)")
                continue
            }
            spoilers += whole.spoilers
            links += whole.addresses.count
            checkBounds(text, source: source, steps: steps, note)
            checkWords(text, whole, note)
        }
        #expect(spoilers > ProofCount.of(40_000) / 10, "few of the texts held a spoiler")
        #expect(links > ProofCount.of(40_000) / 10, "few of the texts held a link")
    }

    private func checkBounds(_ text: Markdown.Text, source: String, steps: Int, _ note: String) {
        let size = source.utf8.count
        #expect(steps <= Markdown.stepsPerByte * size + Markdown.fixedSteps, "\(note)")
        for html in [text.html, text.veiled?.html ?? ""] {
            #expect(html.utf8.count <= Markdown.growth * size + Markdown.fixedGrowth, "\(note)")
        }
        #expect(text.plain.utf8.count <= size && text.body.utf8.count <= size, "\(note)")
        #expect(Markdown.render(text.body) == text, "\(note)")
        guard let veiled = text.veiled else { return }
        let again = Markdown.render(veiled.body)
        #expect(again.veiled == veiled && again.plain == text.plain && again.mentions == text.mentions, "\(note)")
    }

    private func checkWords(_ text: Markdown.Text, _ whole: MarkdownFragment, _ note: String) {
        let (open, hidden) = (words(in: whole.open), Set(words(in: whole.hidden)))
        #expect(words(in: text.plain) == open, "\(note)")
        #expect(hidden.isDisjoint(with: text.mentions), "\(note)")
        guard let veiled = text.veiled else {
            #expect(whole.spoilers == 0, "\(note)")
            return
        }
        let fragment = MarkdownFragment(veiled.html)
        #expect(fragment.faults == [], "\(note)")
        #expect(fragment.spoilers == 0 && fragment.withheld == whole.spoilers, "\(note)")
        #expect(words(in: fragment.open) == open, "\(note)")
        #expect(hidden.isDisjoint(with: words(in: veiled.html)), "\(note)")
        #expect(hidden.isDisjoint(with: words(in: veiled.body)), "\(note)")
    }

    @Test func `no word of a spoiler is in the veiled form, the plain form or the mentions`() {
        let random = TestRandom()
        var hidden = 0
        for round in 0..<ProofCount.of(20_000) {
            var maker = MarkdownMaker(random)
            let (source, secrets) = maker.spoilt()
            let text = Markdown.render(source)
            let note = "round \(round) of seed \(TestRandom.seed): \(source.debugDescription)"
            let seen = [text.veiled?.html ?? text.html, text.veiled?.body ?? text.body, text.plain] + text.mentions
            let found = Set(seen.flatMap(words))
            #expect(found.isDisjoint(with: secrets), "\(note)")
            // And nothing else is withheld.
            #expect(found == Set(words(in: source)).subtracting(secrets), "\(note)")
            #expect(Set(words(in: text.html)) == Set(words(in: source)), "\(note)")
            hidden += secrets.count
        }
        #expect(hidden > ProofCount.of(20_000), "few words were hidden")
    }
}
