/// The limits of groups.
extension Limits {
    package struct Groups: Sendable {
        /// Characters (Unicode scalar values) of a name.
        @Limit("group.name", "characters") package var name = 1...80
        /// Characters of what a group is about, and bytes of UTF-8.
        @Limit("group.about", "characters") package var about = 1...2_000
        @Limit("group.about_size", "bytes") package var aboutBytes = 8_000
        /// Groups that one account has made and that are there, and that it is in.
        @Limit("group.made", "per_account") package var made = 20
        @Limit("group.memberships", "per_account") package var memberships = 200
        /// Members of one group, and owners and moderators among them.
        @Limit("group.members", "per_group") package var members = 5_000
        @Limit("group.leaders", "per_group") package var leaders = 20
        /// Requests that one account has open.
        @Limit("group.open_requests", "per_account") package var openRequests = 50
        /// Invitations that one account sends in 24 hours.
        @Limit("group.invitations", "per_day") package var invitationsPerDay = 100
        /// Characters of the beginning of a name that is looked for.
        @Limit("group.prefix", "characters") package var prefix = 1...80
    }
    package static let groups = Groups()
}
