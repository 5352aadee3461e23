import MarkdownReading

/// One text as one viewer sees it: of a post, a review, a reply.
package struct ShownText: Hashable, Sendable {
    package let body: String
    package let html: String
    /// Whether words of inline spoilers are missing.
    package let isVeiled: Bool
}

extension ShownText {
    /// All of what `source` says, inline spoilers too.
    init(whole source: String) {
        let text = Markdown.render(source)
        self.init(body: text.body, html: text.html, isVeiled: false)
    }

    /// What readers who are not past the book may see of `source`.
    init(veiled source: String) {
        let text = Markdown.render(source)
        self.init(
            body: text.veiled?.body ?? text.body, html: text.veiled?.html ?? text.html, isVeiled: text.veiled != nil)
    }

    /// What an event says of `source`: without the words of inline spoilers, and of that `room` bytes at most, cut
    /// between characters. What is cut is rendered anew, so that its HTML is whole.
    static func told(_ source: String, room: Int) -> (text: ShownText, isCut: Bool) {
        let veiled = ShownText(veiled: source)
        guard veiled.body.utf8.count > room else { return (veiled, false) }
        let cut = ShownText(veiled: veiled.body.clipped(to: room).text ?? "")
        return (ShownText(body: cut.body, html: cut.html, isVeiled: veiled.isVeiled), true)
    }
}
