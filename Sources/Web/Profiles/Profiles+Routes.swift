import Community
import HTTPTypes
import Hummingbird
import JSONWriting
import Postgres

extension Profiles {
    /// What readers show of themselves, over HTTP.
    package struct Routes: Sendable {
        let site: Site

        package init(_ site: Site) { self.site = site }

        package func add(to routes: inout RouteTable) {
            routes.get("/me", access: .reader, summary: "Your account and profile.", reply: Self.me, me)
            routes.patch(
                "/me",
                summary: """
                    Change your username, name or bio; what is left out stays, null takes a name or bio away. A username changes once in \
                    30 days (409 `renamed_lately`), what is shown of your names 10 times in a day (429).
                    """,
                body: Self.newProfile, reply: Self.me, changeMe)
            routes.get(
                "/readers", access: .reader, limit: .search,
                summary: """
                    Readers with words in username or name that begin with each of the words, best first; where there are none, those \
                    with one letter wrong. A reader whose name you may not see is found by the whole username alone. The list ends with \
                    \(Limits.profiles.found).
                    """,
                query: [QueryParameter("q", .string(Limits.profiles.query), "Words.", isRequired: true)]
                    + QueryParameter.pages,
                reply: .page(Self.found), find)
            routes.get(
                "/readers/{username}", summary: "A reader's page, as far as you may see it.",
                reply: Accounts.Routes.profile, profile)
            routes.get(
                "/me/settings", access: .reader,
                summary: "Your settings: who sees what of you, kind by kind, and your time zone.",
                reply: Self.settings, settings)
            routes.patch(
                "/me/settings", access: .session,
                summary: """
                    Change your settings; what is left out stays, null makes a level the usual one again. `time_zone` is a name such as \
                    Europe/Berlin; null is UTC.
                    """,
                body: Self.newSettings, reply: Self.settings, change)
            addOpening(to: &routes)
        }

        private var store: Store { site.community.profiles }

        /// `GET /me` → 200, 304; 403 `session_required` for access tokens that ask for `sessions` along.
        @Sendable private func me(_ request: Request, context: SiteContext) async throws -> Reply {
            try Self.reply(try await store.own(try context.signedIn().account), context)
        }

        /// `PATCH /me` `{username?, name?, bio?}` → 200; 403 `account_frozen`, `email_unverified`, 409
        /// `renamed_lately`, 412 where `If-Match` names another profile than there is, 422 with every fault (`taken`,
        /// `reserved`, …), 429 beyond 10 changes of name in a day.
        /// Refused with `precondition_failed` too.
        @Sendable private func changeMe(_ request: Request, context: SiteContext) async throws -> Reply {
            let reader = try context.signedIn().account
            var form = try context.form(request)
            let any = 0...Limits.body
            let username = form.has("username") ? form.string("username", bytes: any) : nil
            let name = form.optionalString("name", bytes: any)
            let bio = form.optionalString("bio", bytes: any)
            let change = Change(username: username, name: form.change("name", name), bio: form.change("bio", bio))
            var faults = Faults()
            let unread = form.faultsAtEnd()
            faults.add(
                contentsOf: unread
                    + change.faults().filter { fault in !unread.contains { $0.pointer == fault.pointer } })
            try faults.check()
            return try await context.write(request) {
                let own = try await store.change(change, of: reader) { now in
                    try request.requireMatch(of: try Self.reply(now, context))
                }
                return try Self.reply(own, context)
            }
        }

        private static func reply(_ own: Own, _ context: SiteContext) throws -> Reply {
            let picture = own.picture.map { Media.PictureBody($0, base: context.base) }
            return try Reply.json(.ok, MeBody(own, picture: picture))
        }

        /// `GET /readers?q` → 200 with a page; 422.
        @Sendable private func find(_ request: Request, context: SiteContext) async throws -> Reply {
            let reader = try context.signedIn().account
            guard let query = try context.query().text("q", bytes: Limits.profiles.query) else {
                throw Failure.invalid("?q", .required, "must be given")
            }
            let page = try context.page(list: "readers", filter: query, key: FoundPlace.self)
            let found = try await store.readers(matching: query, for: reader, page: page)
            return try Reply.page(found, list: "readers", filter: query, context: context)
        }

        /// `GET /readers/{username}` → 200, 304; 404 for nobody, and for whom the viewer may not see.
        @Sendable private func profile(_ request: Request, context: SiteContext) async throws -> Reply {
            let community = site.community
            let profile = try await community.accounts.profile(
                of: try context.text("username"), for: context.viewer)
            async let favourites = community.praise.marks(
                .favourite, of: profile.id, for: context.viewer, page: PageRequest(limit: Limits.profiles.favourites))
            let picture = profile.showsPicture ? try await community.media.picture(of: profile.id) : nil
            return try Reply.json(
                .ok,
                Accounts.Routes.ProfileBody(
                    profile: profile, picture: picture.map { Media.PictureBody($0, base: context.base) },
                    favourites: try await favourites.items))
        }

        /// `GET /me/settings` → 200, 304.
        @Sendable private func settings(_ request: Request, context: SiteContext) async throws -> Reply {
            let reader = try context.signedIn().account
            async let account = site.community.accounts.own(reader)
            let privacy = try await store.privacy(of: reader)
            return try Self.reply(privacy, in: try await account.timeZone)
        }

        /// `PATCH /me/settings` `{privacy: {kind: level}, time_zone}` → 200; 403 `account_frozen` where a frozen account would show more,
        /// `email_unverified` where an unverified one would show reviews beyond friends, 412 where `If-Match` names
        /// other settings than there are, 422, 429 where the name is shown anew more than 10 times in a day.
        /// Refused with `precondition_failed` too.
        @Sendable private func change(_ request: Request, context: SiteContext) async throws -> Reply {
            let reader = try context.signedIn().account
            var form = try context.form(request)
            let change = form.levels("privacy")
            let zone = form.change("time_zone", form.optionalString("time_zone", bytes: 1...64))
            try form.check()
            return try await context.write(request) {
                let former = try await site.community.accounts.own(reader).timeZone
                let privacy = try await store.change(change, for: reader) { now in
                    try request.requireMatch(of: try Self.reply(now, in: former))
                }
                guard case .set(let zone) = zone else { return try Self.reply(privacy, in: former) }
                try await store.put(timeZone: zone, of: reader)
                return try Self.reply(privacy, in: zone ?? "UTC")
            }
        }

        private static func reply(_ privacy: Privacy, in zone: String) throws -> Reply {
            try Reply.json(.ok, SettingsBody(privacy: privacy, timeZone: zone))
        }
    }
}

extension Profiles.Routes {
    private static let found = Schema.object(
        "FoundReader", ["reader": Accounts.Routes.reader, "is_friend": .boolean])

    /// An account as its owner sees it, with the favourites that the profile shows.
    struct MeBody: Encodable, Sendable {
        let id: ID<Accounts.Account>
        let username: String
        let name: String?
        let bio: String?
        let picture: Media.PictureBody?
        let favourites: [Praise.Mark]
        let email: String
        let isVerified: Bool
        let isApproved: Bool
        let role: String
        let state: String
        let friendCount: Int
        let commentCount: Int
        let groupCount: Int
        let createdAt: Timestamp

        init(_ own: Profiles.Own, picture: Media.PictureBody?) {
            let account = own.account
            id = account.id
            username = account.username
            name = account.name
            bio = account.bio
            self.picture = picture
            favourites = own.favourites
            email = account.email
            isVerified = account.isVerified
            isApproved = account.isApproved
            role = account.role.rawValue
            state = account.state.rawValue
            friendCount = account.friends
            commentCount = account.comments
            groupCount = account.groups
            createdAt = account.createdAt
        }
    }

    static let favourites = Schema.array(Praise.Routes.mark, count: 0...Limits.profiles.favourites)
    static let me = Accounts.Routes.account.adding(["favourites": favourites], as: "Me")

    struct SettingsBody: Encodable, Sendable {
        let privacy: Levels
        let timeZone: String

        init(privacy: Privacy, timeZone: String) {
            self.privacy = Levels(privacy: privacy)
            self.timeZone = timeZone
        }

        /// Each kind with its level, in the order of the table.
        struct Levels: JSONForm, Sendable {
            let privacy: Privacy

            func put(into object: JSONObject) {
                for kind in Privacy.Kind.allCases { object.put(named: kind.rawValue, privacy[kind]) }
            }
        }
    }

    static let newProfile = Schema.object(
        "NewProfile", [:],
        optional: ["username": .string(Limits.accounts.username), "name": .orNull(.string), "bio": .orNull(.string)])

    static let settings = Schema.object(
        "Settings",
        [
            "privacy": .record(
                name: "Privacy",
                Privacy.Kind.allCases.map {
                    Schema.Property(name: $0.rawValue, schema: Library.Routes.level, isRequired: true)
                }), "time_zone": .string,
        ])

    static let newSettings = Schema.object(
        "NewSettings", [:],
        optional: [
            "privacy": .orNull(
                .record(
                    name: "NewPrivacy",
                    Privacy.Kind.allCases.map {
                        Schema.Property(name: $0.rawValue, schema: .orNull(Library.Routes.level), isRequired: false)
                    })), "time_zone": .orNull(.string(1...64)),
        ])
}

extension Form {
    /// An object of kinds and levels; null stands for the usual level. Empty where the field is left out or null.
    fileprivate mutating func levels(_ name: String) -> [Privacy.Kind: Visibility] {
        guard let value = json(name), value != .null else { return [:] }
        guard case .object(let members) = value else {
            fault(name, .wrongType, "must be an object, is \(value.kind)")
            return [:]
        }
        var levels: [Privacy.Kind: Visibility] = [:]
        for (key, value) in members.sorted(by: { $0.key < $1.key }) {
            let place = name + "/" + key.replacing("~", with: "~0").replacing("/", with: "~1")
            guard let kind = Privacy.Kind(rawValue: key) else { continue }
            switch value {
            case .null: levels[kind] = kind.usual
            case .string(let text):
                guard let level = Visibility(name: text) else {
                    fault(place, .unknown, "must be one of private, friends, members, public")
                    continue
                }
                levels[kind] = level
            default: fault(place, .wrongType, "must be a string, is \(value.kind)")
            }
        }
        return levels
    }
}
