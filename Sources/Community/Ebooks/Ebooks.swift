import JSONWriting
import Postgres

/// E-books: files at editions, read once into pages that readers turn.
///
/// - **A file** is an EPUB 2 or 3, or plain text in UTF-8, of at most 64 MiB. It arrives as a stream and is never whole
///   in memory. `Parser` reads it in a process of its own, before anything is stored; what cannot be read is refused
///   with the reason (`Refusal`) and leaves nothing behind. The same bytes are read and stored once, however many
///   readers keep them.
/// - **Whose it is.** A reader's own e-book is that reader's alone. One that a librarian gives says who reads it: everybody,
///   members, or who has a copy from the server's library (`Audience`). What rights there are is said at the upload
///   (`Rights`); a copy that somebody bought (`own_copy`) stays its reader's alone for good.
/// - **On loan**: a reader who has checked a copy of the edition out of the server's library reads the e-book until the
///   copy is returned or due. A copy without an edition counts for every edition. As many read at once as there are
///   copies.
/// - **Pages** hold whole blocks, about 1,800 characters (`EPUB`). A page ends at a **position**: the part of the book's
///   text up to its end, in ten-thousandths. So a position is the same in every layout; of a book of pictures alone it is
///   the part of its pages. A **place** is a chapter and an offset in its text: bookmarks and the place left off are kept
///   so, and a new layout maps them anew.
/// - **Layouts** are counted. The address of a page names its layout (`v`). Of a former one the answer is `page_moved`
///   with the page that has the same place now.
/// - **HTML** is made by `EPUB` from an allow-list. Links and pictures in it lead to this e-book's own addresses; what
///   leads outside is marked. Pictures are converted when somebody first asks for one.
/// - **Without a connection** an e-book that the viewer may keep is one archive of its pages and pictures; what is lent is
///   in none.
/// - **Searching** in a book ends at the reader's gate; who has not begun it finds nothing.
/// - **A merged book or edition** is the one that it was merged into, with the e-books of both.
///
/// **Limits**: `Limits.Ebooks`, and those of the parser (`EPUB.Limits`). **Tables**: ebook, ebook_file, ebook_chapter,
/// ebook_page, ebook_words, ebook_picture, ebook_former_page. **Events**: none. **Jobs**: `ebooks.lay_anew` hourly;
/// `media.clear` takes files away that no e-book uses. Locks are taken in the order account, edition, work, ebook, ebook_file.
package enum Ebooks {}

extension Ebooks {
    /// Who reads an e-book.
    package enum Audience: String, Sendable, CaseIterable, Encodable, PostgresText {
        /// Its reader alone.
        case me
        case everybody
        case members
        /// Readers who have a copy from the server's library.
        case onLoan = "on_loan"
    }

    /// The right that the uploader named.
    package enum Rights: String, Sendable, CaseIterable, Encodable, PostgresText {
        case publicDomain = "public_domain"
        case openLicence = "open_licence"
        /// A copy that its reader bought.
        case ownCopy = "own_copy"
        /// The holder of the rights allowed it.
        case granted
    }

    /// Which way pages are turned.
    package enum Direction: String, Sendable, CaseIterable, Codable, PostgresText {
        case leftToRight = "ltr"
        case rightToLeft = "rtl"
    }

    /// How lines run.
    package enum Writing: String, Sendable, CaseIterable, Codable, PostgresText {
        case horizontal, vertical
    }

    /// Whether the viewer may turn the pages, and what it takes.
    package enum Access: String, Sendable, CaseIterable, Encodable, PostgresText {
        case open
        /// The viewer has a copy on loan.
        case lent
        /// It takes an account.
        case signIn = "sign_in"
        /// It takes a copy, and the viewer has had none.
        case checkOut = "check_out"
        /// The copy that the viewer had is returned or due.
        case loanEnded = "loan_ended"

        package var isOpen: Bool { self == .open || self == .lent }
    }

    /// An e-book as one viewer sees it.
    package struct Ebook: Hashable, Sendable {
        package let id: ID<Ebook>
        package let book: Catalog.Book
        package let edition: ID<Catalog.Edition>
        /// As the file says it.
        package let title: String
        package let creators: [String]
        /// BCP 47; `nil` where the file says none.
        package let language: String?
        package let direction: Direction
        package let writing: Writing
        package let pages: Int
        package let layout: Int
        let cover: Int?
        package let audience: Audience
        package let rights: Rights
        package let access: Access
        /// Bytes of the file.
        package let size: Int
        /// 1, 2, …: rises with every change of what is said about it.
        package let version: Int
        package let createdAt: Timestamp
        package let changedAt: Timestamp

        /// The path of a page, with the layout that counts it.
        func path(page: Int) -> String { "/api/v1/ebooks/\(id)/pages/\(page)?v=\(layout)" }
    }

    /// An e-book with its table of contents.
    package struct Opened: Hashable, Sendable {
        package let ebook: Ebook
        /// An array of `{title, depth, page}`.
        package let contents: JSON
    }

    /// A page, ready to be shown.
    package struct Page: Hashable, Sendable {
        package let ebook: ID<Ebook>
        /// 1, 2, …
        package let number: Int
        package let pages: Int
        package let layout: Int
        /// From 0.
        package let chapter: Int
        package let chapterTitle: String?
        /// Where it ends, in ten-thousandths of the work.
        package let position: Int
        /// The page of the printed edition.
        package let printed: String?
        package let html: String
        package let text: String
    }

    /// How somebody may keep what they are given.
    package enum Keeping: Hashable, Sendable {
        /// Everybody may read it.
        case open
        /// The viewer alone: an own e-book, or one for members.
        case own
        /// It is lent.
        case lent
    }

    /// The rights and the audience of a new e-book.
    package struct NewEbook: Hashable, Sendable {
        package let rights: Rights
        package let audience: Audience

        package init(rights: Rights, audience: Audience) {
            (self.rights, self.audience) = (rights, audience)
        }

        /// Throws `.invalid`, `.forbidden` (`not_librarian`).
        func check(by role: Accounts.Role) throws(Failure) {
            try Ebooks.check(rights, for: audience, root: "?")
            guard audience == .me || role >= .librarian else {
                throw .forbidden(code: .notLibrarian, "only librarians give e-books to others")
            }
        }
    }

    /// What is to change about an e-book.
    package struct Change: Hashable, Sendable {
        package var rights: Rights?
        package var audience: Audience?

        package init(rights: Rights? = nil, audience: Audience? = nil) {
            (self.rights, self.audience) = (rights, audience)
        }
    }

    /// Throws `.invalid` for a bought copy that others were to read.
    static func check(_ rights: Rights, for audience: Audience, root: String) throws(Failure) {
        guard rights != .ownCopy || audience == .me else {
            throw .invalid(root + "rights", .mismatch, "a copy that you bought is for you alone")
        }
    }

    /// Why a file was not taken, or a page is not given.
    package enum Refusal: Error, Hashable, Sendable {
        /// What the parser found: its code, and a sentence for readers.
        case file(code: ProblemCode, String)
        /// The page stands elsewhere in the present layout.
        case moved(to: Int)
        /// The reader's e-books would exceed `Limits.ebooks`.
        case quota
        /// This server reads no e-books: the program that does is not there.
        case off
        /// The file is gone from the store.
        case fileMissing
    }
}

extension Ebooks.Ebook: JSONForm {
    package func put(into object: JSONObject) { fields(into: object) }

    func fields(into object: JSONObject) {
        object.put("id", id)
        object.put("book", book)
        object.put("edition_id", edition)
        object.put("title", title)
        object.put("creators", creators)
        object.put("language", language)
        object.put("direction", direction)
        object.put("writing", writing)
        object.put("page_count", pages)
        object.put("layout", layout)
        if let cover {
            object.put("cover", address: "/api/v1/ebooks/\(id)/pictures/\(cover)?v=\(layout)")
        } else {
            object.put("cover", String?.none)
        }
        object.put("first_page", address: path(page: 1))
        object.put("audience", audience)
        object.put("rights", rights)
        object.put("access", access)
        object.put("size", size)
        object.put("version", version)
        object.put("created_at", createdAt)
        object.put("changed_at", changedAt)
    }
}

extension Ebooks.Opened: JSONForm {
    package func put(into object: JSONObject) {
        ebook.fields(into: object)
        object.put("contents", contents)
    }
}

extension Ebooks.Page: JSONForm {
    package func put(into object: JSONObject) {
        object.put("ebook_id", ebook)
        object.put("page", number)
        object.put("page_count", pages)
        object.put("layout", layout)
        object.put("chapter", Chapter(number: chapter, title: chapterTitle))
        object.put("position", position)
        object.put("percent", Double(position) / 100)
        object.put("printed_page", printed)
        object.put("html", html)
        object.put("text", text)
        neighbour("previous", number > 1 ? number - 1 : nil, of: object)
        neighbour("next", number < pages ? number + 1 : nil, of: object)
    }

    private func neighbour(_ name: StaticString, _ page: Int?, of object: JSONObject) {
        if let page {
            object.put(name, address: "/api/v1/ebooks/\(ebook)/pages/\(page)?v=\(layout)")
        } else {
            object.put(name, String?.none)
        }
    }

    private struct Chapter: JSONForm {
        let number: Int
        let title: String?

        func put(into object: JSONObject) {
            object.put("number", number)
            object.put("title", title)
        }
    }
}
