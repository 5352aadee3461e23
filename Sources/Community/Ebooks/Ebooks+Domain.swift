import Postgres

extension Ebooks: Domain {
    package static let worksOfReaders = [WorkColumn("ebook")]

    /// The e-books of a book go over to another, in the transaction that merges them.
    package static let workMerge: [MergeStep<Catalog.Work>] = [
        MergeStep("move_ebooks", "update ebook set work_id = \(\.into) where work_id = \(\.from)")
    ]

    package static let editionMerge: [MergeStep<Catalog.Edition>] = [
        MergeStep("move_ebooks", "update ebook set edition_id = \(\.into) where edition_id = \(\.from)")
    ]

    /// Deletes the reader's own e-books. Those that they gave to others stay with the catalogue, without their name.
    package static func accountEnds(
        _ account: ID<Accounts.Account>, of services: Services, in transaction: Transaction
    ) async throws {
        let own = try await transaction.all(Statements.AllOf(reader: account))
        try await remove(own, in: transaction)
        try await transaction.run(Statements.ForgetGiver(reader: account))
    }

    /// Whose the rows of each table are.
    package static let personalTables: [PersonalTable] = [
        // A reader's own e-books: what was said of them. The files are the reader's already.
        .init("ebook", work: "t.work_id", others: ["t.added_by"]),
        // E-books that somebody gave to others, which stay: without their name.
        .init("ebook", name: "ebook_given", owner: "t.added_by"),
    ]

    /// What `commonplace check` looks at.
    package static let recounts: [Recount] = [
        Recount(
            "pages", "Each e-book has the pages that it says, and the words of each.",
            """
            select 'file ' || file.id || ': stored ' || file.pages || ', there are ' || counted.pages || ' pages and the words of '
                   || counted.words
              from ebook_file file
             cross join lateral (select (select count(*) from ebook_page page where page.file_id = file.id) as pages,
                                        (select count(*) from ebook_words words where words.file_id = file.id) as words) counted
             where file.pages <> counted.pages
                or file.pages <> counted.words
            """),
        Recount(
            "books", "Each e-book is of the book that its edition is of.",
            """
            select 'ebook ' || ebook.id || ': of work ' || ebook.work_id || ', its edition is of ' || edition.work_id
              from ebook
              join edition on edition.id = ebook.edition_id
             where edition.work_id <> ebook.work_id
            """),
        Recount(
            "keepers", "Each file is somebody's e-book.",
            """
            select 'file ' || file.id || ' is nobody''s'
              from ebook_file file
             where not exists (select 1 from ebook where ebook.file_id = file.id)
            """),
    ]
}

extension Community {
    package var ebooks: Ebooks.Store { Ebooks.Store(services: services, media: media, parser: parser) }
}
