/// The limits of groups; their lines are in `Limits.table`.
extension Limits {
    package enum Groups {
        /// Characters (Unicode scalar values) of a name.
        package static let name = 1...80
        /// Characters of what a group is about, and bytes of UTF-8.
        package static let about = 1...2_000
        package static let aboutBytes = 8_000
        /// Groups that one account has made and that are there, and that it is in.
        package static let made = 20
        package static let memberships = 200
        /// Members of one group, and owners and moderators among them.
        package static let members = 5_000
        package static let leaders = 20
        /// Requests that one account has open.
        package static let openRequests = 50
        /// Invitations that one account sends in 24 hours.
        package static let invitationsPerDay = 100
        /// Characters of the beginning of a name that is looked for.
        package static let prefix = 1...80
    }

    static let groups = [
        Line("group.name", Groups.name, "characters"),
        Line("group.about", Groups.about, "characters"),
        Line("group.about_size", Groups.aboutBytes, "bytes"),
        Line("group.made", Groups.made, "per_account"),
        Line("group.memberships", Groups.memberships, "per_account"),
        Line("group.members", Groups.members, "per_group"),
        Line("group.leaders", Groups.leaders, "per_group"),
        Line("group.open_requests", Groups.openRequests, "per_account"),
        Line("group.invitations", Groups.invitationsPerDay, "per_day"),
        Line("group.prefix", Groups.prefix, "characters"),
    ]
}
