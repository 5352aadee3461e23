import Community

// The shapes of what the routes of notifications take and give.

extension Notifications.Routes {
    private static let placeholder = Boards.Schemas.placeholder
    private static let shown = Boards.Schemas.shown

    private static let thread = Schema.either([
        .object("NotificationThread", ["id": .id, "state": shown, "title": .orNull(.string)]), placeholder,
    ])

    private static let post = Schema.either([
        .object(
            "NotificationPost", ["id": .id, "state": shown, "thread_id": .id, "number": .integer(1...Int(Int32.max))]),
        placeholder,
    ])

    private static let review = Schema.either([
        .object("NotificationReview", ["id": .id, "state": shown]), Reviews.Routes.placeholder,
    ])

    private static let reply = Schema.either([
        .object(
            "NotificationReviewReply",
            ["id": .id, "state": shown, "review_id": .id, "number": .integer(1...Int(Int32.max))]),
        Reviews.Routes.placeholder,
    ])

    private static let group = Schema.object(
        "NotificationGroup", ["id": .id, "name": .string(Groups.Routes.nameBytes)])

    /// `target`: of an act on many the first; `target_count`: to how many things of yours.
    private static let act = Schema.object(
        "NotificationAct",
        [
            "action": .string, "target": .string, "target_count": .integer(1...Int(Int32.max)), "reason": .string,
            "until": .orNull(.time), "is_decided_by_machine": .boolean,
        ])

    private static let report = Schema.object(
        "NotificationReport",
        ["id": .id, "target": .string, "state": .choice(Moderation.Outcome.allCases.map(\.rawValue))])

    static let goal = Schema.object(
        "NotificationGoal", ["year": .integer(Limits.statistics.years)])

    static let notification = Schema.object(
        "Notification",
        [
            // A kind is null where a newer server told it: then only the text says something.
            "id": .id, "kind": .orNull(.choice(Notifications.Kind.allCases.map(\.rawValue))), "text": .string,
            "actors": .array(Accounts.Routes.reader, count: 0...Limits.notifications.shownActors),
            "actor_count": .integer(0...Limits.notifications.actors), "book": .orNull(Reviews.Routes.book),
            "thread": .orNull(thread), "post": .orNull(post), "review": .orNull(review), "reply": .orNull(reply),
            "group": .orNull(group), "act": .orNull(act), "report": .orNull(report), "goal": .orNull(goal),
            "excerpt": .orNull(.string),
            "created_at": .time,
            "is_read": .boolean, "is_seen": .boolean,
        ])

    static let unread = Schema.object("UnreadNotifications", ["unread_count": .integer])
    static let newReading = Schema.object(
        "NewNotificationReading", [:], optional: ["through": .orNull(.id)])

    private static let channels = Schema.object(
        "NotificationChannels", ["is_in_inbox": .boolean, "is_mailed": .boolean])
    static let settings = Schema.record(
        name: "NotificationSettings",
        Notifications.Kind.allCases.map { Schema.Property(name: $0.rawValue, schema: channels, isRequired: true) })

    private static let newChannels = Schema.object(
        "NewNotificationChannels", [:], optional: ["is_in_inbox": .orNull(.boolean), "is_mailed": .orNull(.boolean)])
    static let newSettings = Schema.record(
        name: "NewNotificationSettings",
        Notifications.Kind.allCases.map {
            Schema.Property(name: $0.rawValue, schema: .orNull(newChannels), isRequired: false)
        })
}

extension Form {
    /// What is to become of each kind that was sent: `{is_in_inbox?, is_mailed?}`, where null is left out.
    mutating func notificationSettings() -> [Notifications.Kind: Notifications.SettingChange] {
        var changes: [Notifications.Kind: Notifications.SettingChange] = [:]
        for kind in Notifications.Kind.allCases {
            guard let value = json(kind.rawValue), value != .null else { continue }
            guard case .object(let members) = value else {
                fault(kind.rawValue, .wrongType, "must be an object, is \(value.kind)")
                continue
            }
            changes[kind] = Notifications.SettingChange(
                inbox: channel("is_in_inbox", of: kind, members), mail: channel("is_mailed", of: kind, members))
        }
        return changes
    }

    private mutating func channel(
        _ name: String, of kind: Notifications.Kind, _ members: [String: JSONValue]
    ) -> Bool? {
        guard let value = members[name], value != .null else { return nil }
        guard case .boolean(let flag) = value else {
            fault("\(kind.rawValue)/\(name)", .wrongType, "must be true or false, is \(value.kind)")
            return nil
        }
        return flag
    }
}
