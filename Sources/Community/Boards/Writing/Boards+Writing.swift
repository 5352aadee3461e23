import PlainText

extension Boards {
    /// How much a post gives away, as its author says it.
    package enum SaidScope: Hashable, Sendable {
        case scope(Gate.Scope)
        /// The end of a chapter of the author's edition, from 1: the beginning of the next one, or of nothing.
        case chapter(Int)
        /// As far as a page of an e-book that the author may turn.
        case ebook(ID<Ebooks.Ebook>, page: Int)

        /// Page p of n: floor(10000·p/n), as for readers, so that the same page of the same edition always opens. `nil`
        /// outside 0…n.
        package static func page(_ page: Int, of pages: Int) -> SaidScope? {
            guard pages > 0, (0...pages).contains(page), let scope = Gate.Scope(position: Gate.end * page / pages)
            else { return nil }
            return .scope(scope)
        }
    }

    /// Another book that a post gives away, as its author says it: all of it, unless something else is said.
    package struct SaidAlso: Hashable, Sendable {
        package let book: ID<Catalog.Work>
        package let scope: SaidScope

        package init(book: ID<Catalog.Work>, scope: SaidScope = .scope(.finished)) {
            self.book = book
            self.scope = scope
        }
    }

    /// A thread that a reader wants to open.
    package struct NewThread: Hashable, Sendable {
        /// Without blanks around it.
        package let title: String
        package let kind: Kind
        package let body: String
        /// `nil`: what is usual for the author and the book.
        package let scope: SaidScope?
        package let also: SaidAlso?

        package init(
            title: String, kind: Kind = .discussion, body: String, scope: SaidScope? = nil, also: SaidAlso? = nil
        ) {
            self.title = title.trimmed()
            self.kind = kind
            self.body = body
            self.scope = scope
            self.also = also
        }

        /// Throws `.invalid` with every fault of the title, the text and the other book's scope.
        package func validate() throws(Failure) {
            var faults = Faults()
            Boards.check(title: title, into: &faults)
            Boards.check(body: body, into: &faults)
            Boards.check(also, into: &faults)
            try faults.check()
        }
    }

    /// A reply that a reader wants to write.
    package struct NewPost: Hashable, Sendable {
        package let body: String
        /// The post that it answers; `nil`: the thread as a whole.
        package let parent: ID<Post>?
        /// A post of the same thread.
        package let quoted: ID<Post>?
        /// `nil`: what is usual. At least that of what it answers and quotes in any case.
        package let scope: SaidScope?
        package let also: SaidAlso?

        package init(
            body: String, parent: ID<Post>? = nil, quoted: ID<Post>? = nil, scope: SaidScope? = nil,
            also: SaidAlso? = nil
        ) {
            self.body = body
            self.parent = parent
            self.quoted = quoted
            self.scope = scope
            self.also = also
        }

        /// Throws `.invalid` with every fault of the text and the other book's scope.
        package func validate() throws(Failure) {
            var faults = Faults()
            Boards.check(body: body, into: &faults)
            Boards.check(also, into: &faults)
            try faults.check()
        }
    }

    /// What is to become of a post. What is left out stays.
    package struct Change: Hashable, Sendable {
        /// Of the thread, with its first post. Without blanks around it.
        package let title: String?
        package let body: String?
        /// Its author may raise it; moderators may also lower it.
        package let scope: SaidScope?
        /// Why a moderator does it: needed for what only moderators may do.
        package let reason: String?

        package init(title: String? = nil, body: String? = nil, scope: SaidScope? = nil, reason: String? = nil) {
            self.title = title.map { $0.trimmed() }
            self.body = body
            self.scope = scope
            self.reason = reason
        }

        /// Throws `.invalid` with every fault of the title and the text.
        package func validate() throws(Failure) {
            var faults = Faults()
            if let title { Boards.check(title: title, into: &faults) }
            if let body { Boards.check(body: body, into: &faults) }
            try faults.check()
        }
    }

    /// What came of opening a thread.
    package struct Opened: Hashable, Sendable {
        package let thread: Thread
        package let post: Post
        /// Where the scope of the post comes from.
        package let scopeReason: Gate.ScopeReason
    }

    /// What came of a reply.
    package struct Replied: Hashable, Sendable {
        package let post: Post
        /// Where its scope comes from.
        package let scopeReason: Gate.ScopeReason
    }

    /// What a title must be: a line.
    package static func check(title: String, into faults: inout Faults) {
        Wording.check(line: title, into: &faults, characters: Limits.boards.title, at: "/title")
    }

    /// What a text must be.
    package static func check(body: String, into faults: inout Faults) {
        Wording.check(
            text: body, into: &faults, characters: Limits.boards.body, bytes: 1...Limits.boards.bodyBytes, at: "/body")
    }

    fileprivate static func check(_ also: SaidAlso?, into faults: inout Faults) {
        faults.require(
            also?.scope != .scope(.free), "/also/scope", .outOfRange, "names a book of which nothing is given away")
    }
}
