extension Accounts {
    /// Whose the rows of each table are.
    static let personalTables: [any Leaving.PersonalTable.Type] = [
        OwnRow.self, OwnSessions.self, OwnAccessTokens.self, OwnVerifications.self, OwnResets.self,
        OwnEmailChange.self, OwnDeparture.self, OwnBlocks.self,
    ]

    /// The account itself, which stays as an empty row.
    enum OwnRow: Leaving.PersonalTable {
        static let table = "account"
        static let owner = "t.id"
        static let hidden = ["username_folded", "email_folded", "password_hash", "reach", "invitation_id"]
        static let isKept = true
    }

    /// Where somebody is signed in.
    enum OwnSessions: Leaving.PersonalTable {
        static let table = "session"
        static let owner = "t.account_id"
        static let hidden = ["token_hash"]
    }

    /// What programs were given.
    enum OwnAccessTokens: Leaving.PersonalTable {
        static let table = "access_token"
        static let owner = "t.account_id"
        static let hidden = ["token_hash"]
    }

    /// Codes that were mailed to prove an address.
    enum OwnVerifications: Leaving.PersonalTable {
        static let table = "email_verification"
        static let owner = "t.account_id"
        static let key = ("('x' || encode(substr(t.token_hash, 1, 8), 'hex'))::bit(64)::bigint", "0::bigint")
        static let hidden = ["token_hash"]
    }

    /// Codes that were mailed to set a password.
    enum OwnResets: Leaving.PersonalTable {
        static let table = "password_reset"
        static let owner = "t.account_id"
        static let key = ("('x' || encode(substr(t.token_hash, 1, 8), 'hex'))::bit(64)::bigint", "0::bigint")
        static let hidden = ["token_hash"]
    }

    /// The address that is to be.
    enum OwnEmailChange: Leaving.PersonalTable {
        static let table = "email_change"
        static let owner = "t.account_id"
        static let key = ("t.account_id", "0::bigint")
        static let hidden = ["token_hash"]
    }

    /// The end of an account that is leaving.
    enum OwnDeparture: Leaving.PersonalTable {
        static let table = "departure"
        static let owner = "t.account_id"
        static let key = ("t.account_id", "0::bigint")
    }

    /// Whom somebody blocked. By whom they were blocked is not theirs to know.
    enum OwnBlocks: Leaving.PersonalTable {
        static let table = "block"
        static let owner = "t.blocker_id"
        static let key = ("t.blocked_id", "0::bigint")
        static let others = ["t.blocked_id"]
    }
}
