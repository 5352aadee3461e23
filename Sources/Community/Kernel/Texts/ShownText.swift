import MarkdownReading
import Postgres

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
    init(veiled source: String, linking names: Set<String>? = nil) {
        let text = Markdown.render(source, linking: names)
        self.init(
            body: text.veiled?.body ?? text.body, html: text.veiled?.html ?? text.html, isVeiled: text.veiled != nil)
    }

    /// What an event says of this text, which is whole: without the words of inline spoilers, and of that `room` bytes
    /// at most, cut between characters. What is cut is rendered anew, so that its HTML is whole.
    func told(room: Int) -> (text: ShownText, isCut: Bool) {
        let names = Markdown.linked(in: html)
        let veiled = ShownText(veiled: body, linking: names)
        guard veiled.body.utf8.count > room else { return (veiled, false) }
        let cut = ShownText(veiled: veiled.body.clipped(to: room).text ?? "", linking: names)
        return (ShownText(body: cut.body, html: cut.html, isVeiled: veiled.isVeiled), true)
    }
}

extension Markdown {
    /// `source` in all its forms, as it is kept: with links to those readers alone who are there for `writer` now, of the
    /// first `Bounds.links` names. Asks nothing where no name stands in it.
    static func written(
        _ source: String, by writer: ID<Accounts.Account>, in queryable: some Queryable
    ) async throws -> Text {
        let text = render(source)
        let names = linked(in: text.html)
        guard !names.isEmpty else { return text }
        let asked = Accounts.Statements.Addressed(viewer: writer, folded: Array(names.sorted().prefix(Bounds.links)))
        let found = Set(try await queryable.all(asked))
        return found == names ? text : render(source, linking: found)
    }
}
