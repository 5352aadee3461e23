import Postgres

extension Ebooks.Store {
    /// One e-book. Throws `.notFound` for one that the viewer may not know of.
    package func opened(_ id: ID<Ebooks.Ebook>, for viewer: Viewer) async throws -> Ebooks.Opened {
        try await opened(id, for: viewer, in: services.database)
    }

    func opened(
        _ id: ID<Ebooks.Ebook>, for viewer: Viewer, in queryable: some Queryable
    ) async throws -> Ebooks.Opened {
        let asked = Ebooks.Statements.One(viewer: viewer, ebook: id, now: services.clock.now())
        guard let opened = try await queryable.first(asked) else { throw Failure.notFound("ebook \(id)") }
        return opened
    }

    /// The e-books of a work that the viewer may know of, their own first: at most `Limits.defaultPage`. Empty where there
    /// is none.
    package func ebooks(of work: ID<Catalog.Work>, for viewer: Viewer) async throws -> [Ebooks.Ebook] {
        try await services.database.all(
            Ebooks.Statements.OfWork(viewer: viewer, work: work, now: services.clock.now()))
    }

    /// The reader's own, newest first.
    package func ebooks(
        of reader: ID<Accounts.Account>, page: PageRequest<ID<Ebooks.Ebook>>
    ) async throws -> Page<Ebooks.Ebook, ID<Ebooks.Ebook>> {
        let (database, now) = (services.database, services.clock.now())
        return try await page.read(from: .highest, key: \.id) {
            try await database.all(Ebooks.Statements.Own(viewer: .reader(reader), now: now, span: $0))
        }
    }

    /// Pages `range` of an e-book, those that there are: at most `Limits.ebooks.range`. `layout`: which they are counted in;
    /// `nil`: the present one.
    ///
    /// Throws `.notFound`, also where none of them is there, `Refusal.moved` for a page of a former layout,
    /// `.unauthenticated`, `.forbidden` (`loan_ended`, `not_on_loan`).
    package func pages(
        _ range: ClosedRange<Int>, layout: Int? = nil, of id: ID<Ebooks.Ebook>, for viewer: Viewer
    ) async throws -> (pages: [Ebooks.Page], keeping: Ebooks.Keeping) {
        let asked = Ebooks.Statements.Pages(
            viewer: viewer, ebook: id, first: range.lowerBound, last: range.upperBound, layout: layout,
            now: services.clock.now())
        let rows = try await services.database.all(asked)
        if let keeping = rows.first?.keeping { return (rows.map(\.page), kept(keeping)) }
        let ebook = try await opened(id, for: viewer).ebook
        try ebook.access.check()
        if let layout, layout != ebook.layout {
            let former = Ebooks.Statements.PageNow(ebook: id, layout: layout, number: range.lowerBound)
            if let page = try await services.database.first(former) { throw Ebooks.Refusal.moved(to: page) }
        }
        throw Failure.notFound("page \(range.lowerBound) of ebook \(id)")
    }
}

extension Ebooks.Store {
    /// On a server for members, shared caches keep nothing.
    func kept(_ keeping: Ebooks.Keeping) -> Ebooks.Keeping {
        keeping == .open && services.settings.access != .open ? .own : keeping
    }
}

extension Ebooks.Access {
    /// Throws what it takes to turn pages.
    func check() throws(Failure) {
        switch self {
        case .open, .lent: return
        case .signIn: throw .unauthenticated("sign in to read this e-book")
        case .checkOut: throw .forbidden(code: .notOnLoan, "check a copy out of the server's library first")
        case .loanEnded: throw .forbidden(code: .loanEnded, "your loan has ended")
        }
    }
}

extension Ebooks {
    /// SQL: the page of the present layout on which the place lies that `row` keeps; null where it keeps none.
    static func page(of row: Fragment) -> Fragment {
        """
        (select page.number
                       from ebook
                       join ebook_page page on page.file_id = ebook.file_id and page.chapter = \(row).ebook_chapter
                      where ebook.id = \(row).ebook_id
                        and page.start <= \(row).ebook_start
                      order by page.start desc, page.number desc
                      limit 1)
        """
    }

    /// SQL: how many pages the e-book has in which the place lies that `row` keeps; null where it keeps none.
    static func pages(of row: Fragment) -> Fragment {
        "(select file.pages from ebook join ebook_file file on file.id = ebook.file_id where ebook.id = \(row).ebook_id)"
    }

    /// A page that a reader names. Throws `.invalid` for an e-book that is none of this work, or that the reader may not
    /// know of, and for a page that it has not; `.unauthenticated` and `.forbidden` where its pages may not be turned.
    static func spot(
        _ page: Int, of ebook: ID<Ebook>, in work: ID<Catalog.Work>, for reader: ID<Accounts.Account>,
        at now: Timestamp, in queryable: some Queryable
    ) async throws -> Places.Spot {
        let asked = Statements.SpotOf(viewer: .reader(reader), ebook: ebook, work: work, page: page, now: now)
        guard let found = try await queryable.first(asked) else {
            throw Failure.invalid("/ebook", .unknown, "there is no such e-book of this book")
        }
        try found.access.check()
        guard let spot = found.spot else {
            throw Failure.invalid("/page", .outOfRange, "the e-book has no page \(page)")
        }
        return spot
    }
}
