import Community
import HTTPTypes
import Hummingbird

extension Profiles {
    /// What readers show of themselves, over HTTP.
    package struct Routes: Sendable {
        let site: Site

        package init(_ site: Site) { self.site = site }

        package func add(to routes: inout RouteTable) {
            routes.get(
                "/me/settings", access: .reader, summary: "Your settings: who sees what of you, kind by kind.",
                reply: Self.settings, settings)
            routes.patch(
                "/me/settings", access: .reader,
                summary: "Change your settings; what is left out stays, null makes a level the usual one again.",
                body: Self.newSettings, reply: Self.settings, change)
        }

        private var store: Store { site.community.profiles }

        /// `GET /me/settings` → 200, 304.
        @Sendable private func settings(_ request: Request, context: SiteContext) async throws -> Reply {
            try Self.reply(try await store.privacy(of: try context.signedIn().account))
        }

        /// `PATCH /me/settings` `{privacy: {kind: level}}` → 200; 403 `account_frozen` where a frozen account would show more, 412 where
        /// `If-Match` names other settings than there are, 422.
        @Sendable private func change(_ request: Request, context: SiteContext) async throws -> Reply {
            let reader = try context.signedIn().account
            var form = try context.form(request)
            let change = form.levels("privacy")
            try form.check()
            return try await context.write(request) {
                try Self.reply(
                    try await store.change(change, for: reader) { now in
                        try request.requireMatch(of: try Self.reply(now))
                    })
            }
        }

        private static func reply(_ privacy: Privacy) throws -> Reply {
            try Reply.json(.ok, SettingsBody(privacy: privacy))
        }
    }
}

extension Profiles.Routes {
    struct SettingsBody: Encodable, Sendable {
        let privacy: Levels

        init(privacy: Privacy) { self.privacy = Levels(privacy: privacy) }

        /// Each kind with its level, in the order of the table.
        struct Levels: Encodable, Sendable {
            let privacy: Privacy

            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: PlainKey.self)
                for kind in Privacy.Kind.allCases {
                    try container.encode(privacy[kind], forKey: PlainKey(kind.rawValue))
                }
            }
        }
    }

    static let settings = Schema.object(
        "Settings",
        [
            "privacy": .record(
                name: "Privacy",
                Privacy.Kind.allCases.map {
                    Schema.Property(name: $0.rawValue, schema: Library.Routes.level, isRequired: true)
                })
        ])

    static let newSettings = Schema.object(
        "NewSettings", [:],
        optional: [
            "privacy": .record(
                name: "NewPrivacy",
                Privacy.Kind.allCases.map {
                    Schema.Property(name: $0.rawValue, schema: .orNull(Library.Routes.level), isRequired: false)
                })
        ])
}

extension Form {
    /// An object of kinds and levels; null stands for the usual level. Empty where the field is left out or null.
    fileprivate mutating func levels(_ name: String) -> [Privacy.Kind: Visibility] {
        guard let value = json(name), value != .null else { return [:] }
        guard case .object(let members) = value else {
            fault(name, "wrong_type", "must be an object, is \(value.kind)")
            return [:]
        }
        var levels: [Privacy.Kind: Visibility] = [:]
        for (key, value) in members.sorted(by: { $0.key < $1.key }) {
            let place = name + "/" + key.replacing("~", with: "~0").replacing("/", with: "~1")
            guard let kind = Privacy.Kind(rawValue: key) else {
                fault(
                    place, "unknown", "must be one of " + Privacy.Kind.allCases.map(\.rawValue).joined(separator: ", "))
                continue
            }
            switch value {
            case .null: levels[kind] = kind.usual
            case .string(let text):
                guard let level = Visibility(name: text) else {
                    fault(place, "unknown", "must be one of private, friends, members, public")
                    continue
                }
                levels[kind] = level
            default: fault(place, "wrong_type", "must be a string, is \(value.kind)")
            }
        }
        return levels
    }
}
