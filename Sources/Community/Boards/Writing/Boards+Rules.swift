import Postgres

extension Boards {
    /// A post that another one answers or quotes, or the first one of its thread, as who writes sees it.
    struct Source: Sendable, Hashable {
        let id: ID<Post>
        let number: Int
        let parent: ID<Post>?
        let depth: Int
        let path: String
        let scope: Gate.Scope
        let also: Also?
        /// Neither deleted nor hidden.
        var stands = true
        /// Its author lets them see it, and there is no block between the two.
        var isSeen = true
        /// The gate lets them see it.
        var isOpen = true

        /// Throws `.notFound` for what is not there for who writes, `.forbidden` (`post_gated`) for what they have not
        /// come to.
        func mayBeAnswered() throws(Failure) {
            guard stands, isSeen else { throw .notFound("post \(id)") }
            guard isOpen else { throw .gated(at: scope, also: also) }
        }
    }

    /// What a reply stands on.
    struct Ground: Sendable {
        struct Row: Sendable {
            let work: ID<Catalog.Work>?
            let group: ID<Groups.Group>?
            let kind: Kind
            let isLocked: Bool
            /// Whether who writes may write there: in a group its members may.
            let isAdmitted: Bool
            let source: Source
        }

        /// Where a post stands in the tree.
        struct Place: Sendable, Hashable {
            let parent: ID<Post>?
            let depth: Int
            /// Of the parent; its own ends in itself.
            let path: String
            /// What it answers, where that is as deep as posts nest and it stands beside it.
            var beside: ID<Post>?

            /// What it answers; `nil`: the thread as a whole.
            var answers: ID<Post>? { beside ?? parent }
        }

        /// `nil` for what is about no book.
        let work: ID<Catalog.Work>?
        let group: ID<Groups.Group>?
        let kind: Kind
        /// What the reply takes over at least the scope of.
        let sources: [Source]
        let place: Place

        /// Throws `.notFound` for a thread, parent or quoted post that is not there for who writes; `.forbidden`:
        /// `not_a_member`, `thread_locked`, `post_gated`.
        init(_ rows: [Row], of thread: ID<Thread>, for new: NewPost) throws(Failure) {
            guard let first = rows.first(where: { $0.source.number == 1 }) else {
                throw .notFound("thread \(thread)")
            }
            guard first.isAdmitted else { throw .notMember }
            func source(_ id: ID<Post>?) throws(Failure) -> Source? {
                guard let id else { return nil }
                guard let source = rows.first(where: { $0.source.id == id })?.source else {
                    throw .notFound("post \(id)")
                }
                try source.mayBeAnswered()
                return source
            }
            let (parent, quoted) = (try source(new.parent), try source(new.quoted))
            guard !first.isLocked else { throw .locked }
            guard parent != nil || first.source.isOpen else {
                throw .gated(at: first.source.scope, also: first.source.also)
            }
            work = first.work
            group = first.group
            kind = first.kind
            sources = [parent ?? first.source, quoted].compactMap(\.self)
            place = parent.map(Place.init(below:)) ?? Place(parent: nil, depth: 0, path: "")
        }

        /// The least that the reply gives away.
        var scope: Gate.Scope { sources.map(\.scope).max() ?? .free }

        /// The other book that the reply gives away: the sources' and the one that is said. Throws `.invalid` where
        /// those are two.
        func also(with said: Also?) throws(Failure) -> Also? {
            var also = said
            for (source, pointer) in zip(sources, ["/also/book_id", "/quoted_id"]) {
                guard let other = source.also else { continue }
                guard also == nil || also?.book == other.book else {
                    throw .invalid(pointer, .mismatch, "what it answers or quotes gives away another book")
                }
                also = Also(book: other.book, scope: max(other.scope, also?.scope ?? other.scope))
            }
            return also
        }
    }
}

extension Boards.Ground.Place {
    /// One deeper than `parent`; beside it where that is as deep as posts nest.
    init(below parent: Boards.Source) {
        if parent.depth < Limits.boards.depth {
            self.init(parent: parent.id, depth: parent.depth + 1, path: parent.path)
        } else {
            self.init(
                parent: parent.parent, depth: parent.depth,
                path: String(parent.path.dropLast(ID<Boards.Post>.stepLength)), beside: parent.id)
        }
    }
}

extension ID<Boards.Post> {
    /// Digits of one step of a path.
    static let stepLength = 16

    /// The id as a step of a path: hexadecimal, so that paths are in the order of ids.
    var step: String {
        let digits = String(rawValue, radix: 16)
        return String(repeating: "0", count: Self.stepLength - digits.count) + digits
    }
}

extension Failure {
    static var locked: Failure {
        .forbidden(code: .threadLocked, "this thread is locked: nothing is written in it any more")
    }

    /// The post is shut, and opens to those who are that far.
    static func gated(at scope: Gate.Scope, also: Boards.Also?) -> Failure {
        gated(at: also == nil ? scope : .finished)
    }

    /// The same of a scope as it is told (`Gate.told`).
    static func gated(at scope: Gate.Scope) -> Failure { gated(at: Int(scope.position)) }

    static func gated(at position: Int) -> Failure {
        .forbidden(code: .postGated, "it lies ahead of you, at \(position) of \(Gate.end): reveal it first")
    }

    package static var notModerator: Failure { .forbidden(code: .notModerator, "only moderators may do that") }
    static var ownPost: Failure { .forbidden(code: .ownThing, "this post is your own") }
    static var postDeleted: Failure { .conflict(code: .postDeleted, "this post is no more") }
    static var notAuthor: Failure { .forbidden(code: .notAuthor, "it is somebody else's") }
}
