extension Media {
    /// Whose the rows of each table are.
    static let personalTables: [any Leaving.PersonalTable.Type] = [
        OwnPictures.self, GivenCovers.self, OwnProfilePicture.self, OwnMediaTally.self,
    ]

    /// Pictures of a reader.
    enum OwnPictures: Leaving.PersonalTable {
        static let table = "picture"
        static let owner = "t.owner_id"
        static let others = ["t.added_by"]
    }

    /// Covers that somebody gave, which stay with the catalogue: without their name.
    enum GivenCovers: Leaving.PersonalTable {
        static let table = "picture"
        static let name = "picture_given"
        static let owner = "t.added_by"
    }

    /// The picture that a reader shows.
    enum OwnProfilePicture: Leaving.PersonalTable {
        static let table = "account_picture"
        static let owner = "t.account_id"
        static let key = ("t.account_id", "0::bigint")
    }

    /// How many bytes they are.
    enum OwnMediaTally: Leaving.PersonalTable {
        static let table = "media_tally"
        static let owner = "t.account_id"
        static let key = ("t.account_id", "0::bigint")
    }
}
