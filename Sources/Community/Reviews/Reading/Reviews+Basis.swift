import MarkdownReading
import Postgres

extension Reviews {
    /// What stands before a reader says something about a work.
    struct Basis: Sendable {
        struct Mine: Sendable {
            let review: Review
            let counted: Bool
            /// The source of its text as it is kept.
            let body: String?
            /// Of the row that holds `body` rendered; `nil` without a text, and where another program wrote it.
            let text: ID<Text>?

            var share: Share { counted ? review.share : .nothing }

            /// Whether `body` stands there, rendered.
            func has(_ body: String?) -> Bool { text != nil && body == self.body }
        }

        let reader: Accounts.Reader
        let state: Accounts.State
        let isVerified: Bool
        /// When the account was made.
        let bornAt: Timestamp
        /// Whether the account's reviews count now.
        let counts: Bool
        /// Whether the work has been published.
        let isOut: Bool
        /// The level of the reader's reviews that have none of their own.
        let usual: Visibility
        /// What the reader said before; `nil` where there is no such work.
        let mine: Mine?
        /// `nil` where there is no such work.
        let book: Catalog.Book?

        /// Whether a review at `visibility` is counted from now on. What is counted stays so when a librarian moves the year of the work.
        func counts(at visibility: Visibility) -> Bool {
            counts && visibility >= .members && (isOut || mine?.counted == true)
        }

        /// The review as it will be; the same as `mine` where `new` changes nothing. `text`: what it says, where that
        /// is not kept yet. Whether the level is its own is its reader's to know: a change of that alone makes no
        /// version, which all see, and is no edit.
        func said(
            _ new: NewReview, _ text: Markdown.Text?, about book: Catalog.Book, services: Services
        ) throws -> Review {
            let old = mine?.review
            var review =
                try old
                ?? Review(
                    id: services.ids.make(), author: reader, book: book, spoilers: false, visibility: usual, version: 0,
                    createdAt: services.clock.now())
            review.rating = new.rating
            if new.body != old?.body {
                review.text = text.map { Text(body: $0.body, html: $0.html, isVeiled: false) }
            }
            review.spoilers = new.body != nil && (new.spoilers ?? review.spoilers)
            let level = level(after: new)
            (review.visibility, review.hiddenLevel) = review.isHidden ? (.private, level) : (level, nil)
            let isSame = review == old
            review.levelIsOwn = hasOwnLevel(after: new)
            if !isSame { review.version += 1 }
            if old != nil, !isSame { review.editedAt = services.clock.now() }
            return review
        }

        private func level(after new: NewReview) -> Visibility {
            switch new.visibility {
            case .keep: mine?.review.wanted ?? usual
            case .set(let chosen): chosen ?? usual
            }
        }

        /// Whether the review has a level of its own once `new` is said: a level once chosen stays, whatever the reader's settings become,
        /// until it is put back.
        func hasOwnLevel(after new: NewReview) -> Bool {
            switch new.visibility {
            case .keep: mine?.review.levelIsOwn == true
            case .set(let chosen): chosen != nil
            }
        }

        /// Throws `.limited` where a new account whose reviews have so many texts may not have one more.
        static func mayAddText(to texts: Int) throws(Failure) {
            guard texts < Limits.reviews.textsOnFirstDay else {
                throw .limited(policy: "reviews_on_first_day", retryAfter: .seconds(3600))
            }
        }

        /// Throws `.forbidden` unless this account may say something at `visibility`.
        func mayPost(at visibility: Visibility, isLoopback: Bool) throws(Failure) {
            try state.mayWrite()
            guard isVerified || isLoopback || visibility <= .friends else { throw .unverified }
        }
    }

    /// What a write of a review makes of its texts: another row where it says something else, none left where it says nothing any more.
    struct Rewriting: Sendable {
        /// The row that holds the text from now on.
        let text: ID<Text>?
        /// What it says, where that is not kept yet.
        private let new: Markdown.Text?
        private let isTakenBack: Bool
        /// The mark that what was said before stood under; `nil` where nothing was.
        private let mark: Bool?

        init(of review: Review, as new: Markdown.Text?, over mine: Basis.Mine?, ids: IDMaker) throws {
            self.new = new
            text = new != nil ? try ids.make() : review.body == nil ? nil : mine?.text
            isTakenBack = mine?.body != nil && review.body == nil
            mark = mine?.body == nil ? nil : mine?.review.spoilers
        }

        /// Runs before the write of the review's own row, which is locked, and behind that of a new one.
        func write(_ review: Review, at now: Timestamp, in batch: inout Batch) {
            if isTakenBack { batch.run(Texts.Statements.RemoveTexts(things: [review.id])) }
            guard let id = text, let new else { return }
            let revision = Texts.Revision(id: id, thing: review.id, text: new, at: now)
            if let mark { revision.replace(under: mark, in: &batch) } else { revision.add(to: &batch) }
        }
    }
}

extension Reviews.Review {
    var share: Reviews.Share { Reviews.Share(rating: rating, hasBody: body != nil) }
}
