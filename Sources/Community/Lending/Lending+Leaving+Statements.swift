import Postgres

extension Lending {
    /// Whose the rows of each table are.
    static let personalTables: [any Leaving.PersonalTable.Type] = [
        OwnLibraries.self, OwnMemberships.self, SentInvitations.self, OwnLibraryLinks.self, OwnCopies.self,
        AddedCopies.self, OwnCheckouts.self, LentLoans.self, BorrowedLoans.self,
    ]

    /// The libraries that somebody owns, alone or with others. Those that others own too stay with them.
    enum OwnLibraries: Leaving.PersonalTable {
        static let table = "library"
        static let source = """
            library t
              join library_member keeper on keeper.library_id = t.id and keeper.role = 'owner' and keeper.joined_at is not null
            """
        static let owner = "keeper.reader_id"
        static let others = ["t.reader_id"]
    }

    /// The libraries that somebody belongs to or is invited to.
    enum OwnMemberships: Leaving.PersonalTable {
        static let table = "library_member"
        static let key = ("t.library_id", "0::bigint")
        static let others = ["t.invited_by"]
    }

    /// Whom somebody invited.
    enum SentInvitations: Leaving.PersonalTable {
        static let table = "library_member"
        static let name = "library_member_invited"
        static let owner = "t.invited_by"
        static let key = ("t.library_id", "t.reader_id")
        static let others = ["t.reader_id"]
    }

    /// Links that open a whole library.
    enum OwnLibraryLinks: Leaving.PersonalTable {
        static let table = "library_link"
        static let key = ("t.library_id", "0::bigint")
        static let hidden = ["digest"]
    }

    /// What stands in those libraries, and who has it.
    enum OwnCopies: Leaving.PersonalTable {
        static let table = "copy"
        static let source = """
            copy t
              join library_member keeper
                on keeper.library_id = t.library_id and keeper.role = 'owner' and keeper.joined_at is not null
            """
        static let owner = "keeper.reader_id"
        static let hidden = ["title_key", "author_key"]
        static let work: String? = "t.work_id"
        static let others = ["t.holder_id"]
    }

    /// Copies that somebody put into a library, their own or another, which stay there: without the name.
    enum AddedCopies: Leaving.PersonalTable {
        static let table = "copy"
        static let name = "copy_added"
        static let owner = "t.added_by"
        static let hidden = ["title_key", "author_key", "holder_id"]
        static let work: String? = "t.work_id"
    }

    /// What somebody took out of libraries.
    enum OwnCheckouts: Leaving.PersonalTable {
        static let table = "checkout"
        static let hidden = ["title_key"]
        static let work: String? = "t.work_id"
    }

    /// What friends asked somebody for.
    enum LentLoans: Leaving.PersonalTable {
        static let table = "loan"
        static let name = "loan_lent"
        static let owner = "t.lender_id"
        static let work: String? = "t.work_id"
        static let others = ["t.borrower_id"]
    }

    /// What somebody asked friends for.
    enum BorrowedLoans: Leaving.PersonalTable {
        static let table = "loan"
        static let name = "loan_borrowed"
        static let owner = "t.borrower_id"
        static let work: String? = "t.work_id"
        static let others = ["t.lender_id"]
    }
}

extension Lending.Statements {
    /// The name at what stays.
    struct ForgetReader: Statement {
        static let name = "lending.forget_reader"
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
