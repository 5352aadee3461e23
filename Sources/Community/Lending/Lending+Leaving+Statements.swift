import Postgres

extension Lending {
    /// Whose the rows of each table are.
    package static let personalTables: [PersonalTable] = [
        // The libraries that somebody owns, alone or with others. Those that others own too stay with them.
        .init(
            "library",
            source: """
                library t
                  join library_member keeper on keeper.library_id = t.id and keeper.role = 'owner' and keeper.joined_at is not null
                """,
            owner: "keeper.reader_id", others: ["t.reader_id"]),
        // The libraries that somebody belongs to or is invited to.
        .init("library_member", key: "t.library_id", others: ["t.invited_by"]),
        // Whom somebody invited.
        .init(
            "library_member", name: "library_member_invited", owner: "t.invited_by", key: "t.library_id",
            secondKey: "t.reader_id", others: ["t.reader_id"]),
        // Links that open a whole library.
        .init("library_link", key: "t.library_id", hidden: ["digest"]),
        // What stands in those libraries, and who has it.
        .init(
            "copy",
            source: """
                copy t
                  join library_member keeper
                    on keeper.library_id = t.library_id and keeper.role = 'owner' and keeper.joined_at is not null
                """,
            owner: "keeper.reader_id", hidden: ["title_key", "author_key"], work: "t.work_id", others: ["t.holder_id"]),
        // Copies that somebody put into a library, their own or another, which stay there: without the name.
        .init(
            "copy", name: "copy_added", owner: "t.added_by", hidden: ["title_key", "author_key", "holder_id"],
            work: "t.work_id"),
        // What somebody took out of libraries.
        .init("checkout", hidden: ["title_key"], work: "t.work_id"),
        // What friends asked somebody for.
        .init("loan", name: "loan_lent", owner: "t.lender_id", work: "t.work_id", others: ["t.borrower_id"]),
        // What somebody asked friends for.
        .init("loan", name: "loan_borrowed", owner: "t.borrower_id", work: "t.work_id", others: ["t.lender_id"]),
    ]
}

extension Lending.Statements {
    /// The name at what stays.
    struct ForgetReader: Statement {
        static let sql: SQL<Self> = """
            with copies as (
                update copy set added_by = null where added_by = \(\.reader)
            ), invitations as (
                update library_member set invited_by = null where invited_by = \(\.reader)
            )
            delete from library_link where reader_id = \(\.reader)
            """
        let reader: ID<Accounts.Account>
    }
}
