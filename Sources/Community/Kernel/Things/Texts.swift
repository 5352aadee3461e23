import JSONWriting
import MarkdownReading
import Postgres

/// Texts of which the earlier versions are kept.
///
/// A kind `post` has the table `post_text` (`id`, `post_id`, `body`, `html`, `veiled_body`, `veiled_html`, `at`, a mark, and `title`
/// where it has one); `post.text_id` names the text that holds. Of more than `kept` the first one and the newest stay.
/// A former text keeps the mark that it stood under: what gave too much away then is shut for good.
package enum Texts {
    enum Statements {}
}

/// A kind of things with such a text. To conform is all that the kind has to do.
package protocol Revised: GatedKind {
    /// What a text stands under beside the thing's own scope.
    associatedtype Mark: PostgresValue
    static var revising: RevisionFacts { get }
}

package struct RevisionFacts: Sendable {
    /// The column of a former text that holds its mark.
    let mark: Fragment
    /// SQL: the columns that `isMet`, `opens`, `unveils` and the facts read of the thing, a row `stands`, as they are for its text `said`:
    /// what is marked of one or the other is marked.
    let formerly: Fragment
    /// How many texts are kept.
    let kept: Int
    /// A text may have a title.
    var isTitled = false
}

extension Texts {
    /// Another text of a thing, whose row is locked.
    struct Revision<Kind: Revised>: Sendable {
        let id: ID<ShownText>
        let thing: ID<Kind>
        var title: String?
        let text: Markdown.Text
        let at: Timestamp

        /// Puts it in the place of the one that the thing names until now and that stood under `mark`. Goes before the write
        /// of the thing's row.
        func replace(under mark: Kind.Mark, in batch: inout Batch) {
            batch.run(Statements.RetireText(thing: thing, mark: mark))
            add(to: &batch)
            batch.run(Statements.DropOldTexts(thing: thing, holding: id))
        }

        /// Where the thing had no text.
        func add(to batch: inout Batch) {
            batch.run(Statements.InsertText(id: id, thing: thing, title: title, text: text, at: at))
        }
    }

    /// One text that a thing has had or has, as one viewer sees it.
    package struct Former<Kind: Revised>: Sendable {
        package enum Shown: Sendable {
            case whole(title: String?, ShownText, at: Timestamp)
            case gated(Gate.Placeholder)
        }

        package let id: ID<ShownText>
        package let shown: Shown
    }

    /// What readers read of former texts.
    package struct Store: Sendable {
        let services: Services

        package init(_ services: Services) { self.services = services }

        /// The texts of a thing, the one that holds first, as many as are kept, of which the last is what was written
        /// first. None of one that was written before texts were kept. Who may see the thing may read them, as far as
        /// marks go. Throws `.notFound` for a thing that is not there for the viewer, `.forbidden` (`post_gated` for a
        /// kind `post`).
        package func history<Kind: Revised>(
            of thing: ID<Kind>, for viewer: Viewer, page: PageRequest<ID<ShownText>>
        ) async throws -> Page<Former<Kind>, ID<ShownText>> {
            let database = services.database
            guard let seen = try await database.first(Statements.SeeTexts(viewer: viewer, thing: thing)) else {
                throw Thing(thing).missing
            }
            guard seen.isOpen else { throw Kind.shut(at: seen.scope) }
            return try await page.read(from: .highest, key: \.id) {
                try await database.all(Statements.History(viewer: viewer, thing: thing, span: $0))
            }
        }
    }
}

extension Texts.Former: JSONWritable {
    package func write(to output: JSONOutput) {
        switch shown {
        case .gated(let placeholder): placeholder.write(to: output)
        case .whole(let title, let text, let at):
            output.object { object in
                object.put("id", id)
                object.put("state", Gate.shown)
                if Kind.revising.isTitled { object.put("title", title) }
                object.put("body", text.body)
                object.put("html", text.html)
                object.put("is_veiled", text.isVeiled)
                object.put("created_at", at)
            }
        }
    }
}

extension Community {
    package var texts: Texts.Store { Texts.Store(services) }
}
