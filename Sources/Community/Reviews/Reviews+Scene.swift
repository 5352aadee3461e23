import Postgres

extension Reviews {
    /// What stands before a reader says something about a work.
    struct Scene: Sendable {
        struct Mine: Sendable {
            let id: ID<Review>
            let rating: Rating?
            let body: String?
            let visibility: Visibility
            /// The reader chose that level for this review.
            let hasOwnLevel: Bool
            let counted: Bool
            let spoilers: Bool
            let replies: Int
            /// Of the row that holds `body` rendered; `nil` without a text, and where another program wrote it.
            let text: ID<Text>?
            let reactions: [Boards.Reaction: Int]
            let version: Int
            let createdAt: Timestamp
            let editedAt: Timestamp?

            var share: Share { counted ? Share(rating: rating, hasBody: body != nil) : .nothing }
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
        /// What the reader said before.
        let mine: Mine?
        /// `nil` where there is no such work.
        let book: Book?

        /// Whether a review at `visibility` is counted from now on. What is counted stays so when a librarian moves the year of the work.
        func counts(at visibility: Visibility) -> Bool {
            counts && visibility >= .members && (isOut || mine?.counted == true)
        }

        func review(of book: Book) -> Review? {
            mine.map { mine in
                Review(
                    id: mine.id, reader: reader, book: book, rating: mine.rating,
                    text: mine.body.map(Text.init(whole:)), spoilers: mine.spoilers, visibility: mine.visibility,
                    levelIsOwn: mine.hasOwnLevel, replies: mine.replies, reactions: mine.reactions,
                    version: mine.version, createdAt: mine.createdAt, editedAt: mine.editedAt)
            }
        }

        /// The review as it will be; the same as `review(of:)` where `new` changes nothing. Whether the level is its
        /// own is its reader's to know: a change of that alone makes no version, which all see, and is no edit.
        func said(_ new: NewReview, about book: Book, house: House) throws -> Review {
            let visibility = level(after: new)
            let isOwn = hasOwnLevel(after: new)
            let isMarked = new.body != nil && (new.spoilers ?? mine?.spoilers ?? false)
            let text = new.body.map(Text.init(whole:))
            guard let mine, var review = review(of: book) else {
                return Review(
                    id: try house.ids.make(), reader: reader, book: book, rating: new.rating, text: text,
                    spoilers: isMarked, visibility: visibility, levelIsOwn: isOwn,
                    version: 1, createdAt: house.clock.now(), editedAt: nil)
            }
            let isSame =
                mine.rating == new.rating && mine.body.map(Markdown.clean) == text?.body
                && mine.visibility == visibility
                && mine.spoilers == isMarked
            (review.rating, review.text, review.spoilers) = (new.rating, text, isMarked)
            (review.visibility, review.levelIsOwn) = (visibility, isOwn)
            if !isSame { (review.version, review.editedAt) = (mine.version + 1, house.clock.now()) }
            return review
        }

        private func level(after new: NewReview) -> Visibility {
            switch new.visibility {
            case .keep: mine?.visibility ?? usual
            case .set(let chosen): chosen ?? usual
            }
        }

        /// Whether the review has a level of its own once `new` is said: a level once chosen stays, whatever the reader's settings become,
        /// until it is put back.
        func hasOwnLevel(after new: NewReview) -> Bool {
            switch new.visibility {
            case .keep: mine?.hasOwnLevel == true
            case .set(let chosen): chosen != nil
            }
        }

        /// Throws `.limited` where a new account whose reviews have so many texts may not have one more.
        static func mayAddText(to texts: Int) throws(Failure) {
            guard texts < Limits.Reviews.textsOnFirstDay else {
                throw .limited(policy: "reviews_on_first_day", retryAfter: .seconds(3600))
            }
        }

        /// Throws `.forbidden` unless this account may say something at `visibility`.
        func mayPost(at visibility: Visibility, isLoopback: Bool) throws(Failure) {
            try state.mayWrite()
            guard isVerified || isLoopback || visibility <= .friends else { throw .unverified }
        }
    }
}

extension Reviews.Review {
    var share: Reviews.Share { Reviews.Share(rating: rating, hasBody: body != nil) }
}
