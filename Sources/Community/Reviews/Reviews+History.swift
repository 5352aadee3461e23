import JSONWriting
import Postgres

extension Reviews {
    /// What a write of a review makes of its texts: another row where it says something else, none left where it says nothing any more.
    struct Rewriting: Sendable {
        /// The row that holds the text from now on.
        let text: ID<Text>?
        private let isNew: Bool
        /// What was said before stood under the mark.
        private let wasMarked: Bool
        private let isTakenBack: Bool
        private let isRewritten: Bool

        init(of review: Review, over mine: Scene.Mine?, ids: IDMaker) throws {
            let kept = mine?.body == review.body ? mine?.text : nil
            isNew = review.body != nil && kept == nil
            text = isNew ? try ids.make() : kept
            wasMarked = mine?.review.spoilers ?? false
            isTakenBack = mine?.body != nil && review.body == nil
            isRewritten = isNew && mine?.body != nil
        }

        /// Runs behind the write of the review's own row, which is locked.
        func write(_ review: Review, at now: Timestamp, in batch: inout Batch) {
            if isTakenBack { batch.run(Statements.RemoveTexts(review: review.id)) }
            guard isNew, let id = text, let body = review.body else { return }
            if wasMarked { batch.run(Statements.RetireText(review: review.id)) }
            batch.run(Statements.InsertText(id: id, review: review.id, text: Markdown.render(body), at: now))
            // A new review has no others.
            if isRewritten { batch.run(Statements.DropOldTexts(review: review.id, holding: id)) }
        }
    }

    /// One text that a review has had or has, as one viewer sees it.
    package struct Former: Hashable, Sendable {
        package enum Shown: Hashable, Sendable {
            case whole(Text, at: Timestamp)
            case gated(Gate.Placeholder)
        }

        package let id: ID<Text>
        package let shown: Shown
    }
}

extension Reviews.Store {
    /// The texts of a review, the one that holds first; `Limits.Reviews.texts` at most, of which the last is what was
    /// written first. None of one that was written before texts were kept. Whoever may see the review may read them, as
    /// far as marks go: a text that stood under the spoiler mark keeps it. Throws `.notFound` for a review that is not
    /// there for the viewer, `.forbidden` (`review_gated`).
    package func history(
        of review: ID<Reviews.Review>, for viewer: Viewer, page: PageRequest<ID<Reviews.Text>>
    ) async throws -> Page<Reviews.Former, ID<Reviews.Text>> {
        guard case .whole = try await self.review(review, for: viewer) else { throw Failure.reviewGated }
        return try await page.read(from: .max, key: \.id) {
            try await house.database.all(Reviews.Statements.History(viewer: viewer, review: review, span: $0))
        }
    }
}

extension Failure {
    /// The review opens to those who have finished its book.
    static var reviewGated: Failure {
        .forbidden(code: "review_gated", "it gives the end away: finish the book or reveal it first")
    }
}

extension Reviews.Former: JSONWritable {
    package func write(to output: JSONOutput) {
        switch shown {
        case .gated(let placeholder): placeholder.write(to: output)
        case .whole(let text, let at):
            output.object { object in
                object.put("id", id)
                object.put("body", text.body)
                object.put("html", text.html)
                object.put("is_veiled", text.isVeiled)
                object.put("at", at)
            }
        }
    }
}
