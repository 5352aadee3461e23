import Community

// The shapes of what the routes of groups take and give.

extension Groups.Routes {
    /// A character has at most four bytes.
    static let nameBytes = 1...Limits.groups.name.upperBound * 4
    static let aboutBytes = 1...Limits.groups.aboutBytes

    private static let count = Schema.integer(0...Int(Int32.max))
    static let joining = Schema.choice(Groups.Joining.allCases.map(\.rawValue))
    static let visibility = Schema.choice(Groups.Openness.allCases.map(\.rawValue))
    static let role = Schema.choice(Groups.Role.allCases.map(\.rawValue))

    /// `description` is Markdown, `html` the same rendered and safe; both are null in what an access token is answered that
    /// joins or changes groups and does not read them. `role`, `is_invited` and `has_requested` are the
    /// caller's.
    /// `is_hidden`: a moderator hides it, and its owners alone see it.
    static let group = Schema.object(
        "Group",
        [
            "id": .id, "name": .string(nameBytes), "description": .orNull(.string), "html": .orNull(.string),
            "joining": joining, "visibility": visibility, "member_count": count, "book": .orNull(Reviews.Routes.book),
            "role": .orNull(role), "is_hidden": .boolean, "is_invited": .boolean, "has_requested": .boolean,
            "version": .integer(1...Int(Int32.max)), "created_at": .time, "active_at": .time,
        ])

    static let newGroup = Schema.object(
        "NewGroup", ["name": .string(nameBytes)],
        optional: [
            "description": .orNull(.string(aboutBytes)), "joining": .orNull(joining), "visibility": .orNull(visibility),
            "book_id": .orNull(.id),
        ])

    static let groupChange = Schema.object(
        "GroupChange", [:],
        optional: [
            "name": .string(nameBytes), "description": .orNull(.string(aboutBytes)), "joining": joining,
            "book_id": .orNull(.id),
        ])

    static let member = Schema.object(
        "GroupMember", ["reader": Accounts.Routes.reader, "role": role, "joined_at": .time])
    static let newRole = Schema.object("NewGroupRole", ["role": role])
    static let request = Schema.object("GroupRequest", ["reader": Accounts.Routes.reader, "requested_at": .time])
    static let ban = Schema.object("GroupBan", ["reader": Accounts.Routes.reader, "banned_at": .time])
    static let invitation = Schema.object(
        "GroupInvitation", ["group": group, "inviter": Accounts.Routes.reader, "invited_at": .time])

    static let newThread = Schema.object(
        "NewGroupThread",
        ["title": .string(Boards.Routes.titleBytes), "body": .string(Boards.Routes.bodyBytes)],
        optional: [
            "kind": .orNull(Boards.Schemas.kind), "book_id": .orNull(.id), "scope": .orNull(Boards.Routes.said),
            "also": .orNull(Boards.Routes.also),
        ])
}

extension Reply {
    /// The same reply with an `ETag` of the group as this caller is shown it, and of its version, which is what
    /// `If-Match` is compared with.
    func tagged(_ group: Groups.Group) -> Reply { taggedAsShown("group-\(group.id)", version: group.version) }
}
