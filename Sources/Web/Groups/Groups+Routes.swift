import Community
import HTTPTypes
import Hummingbird

extension Groups {
    /// Groups over HTTP: what they are. Members stand in `Groups+Routes+Members.swift`, boards in `…+Board.swift`.
    package struct Routes: Sendable {
        let site: Site

        package init(_ site: Site) { self.site = site }

        package func add(to routes: inout RouteTable) {
            routes.get(
                "/groups",
                summary: "Public groups, last active first; with `q` those whose names begin so, by name.",
                query: [Self.sort, Self.prefix] + QueryParameter.paging, reply: .page(Self.group), directory)
            routes.post(
                "/groups",
                summary: "Make a group, which is yours. Whether it is public or private is chosen once.",
                body: Self.newGroup, reply: Self.group, make)
            routes.get("/groups/{group}", summary: "One group.", reply: Self.group, one)
            routes.patch(
                "/groups/{group}", summary: "Change what is said about your group, and how readers join it.",
                body: Self.groupChange, reply: Self.group, change)
            routes.delete(
                "/groups/{group}", summary: "Close your group for good: nobody sees what was written there any more.",
                close)
            routes.get(
                "/me/groups", access: .reader, summary: "Groups that you are in, the newest group first.",
                query: QueryParameter.paging, reply: .page(Self.group), mine)
            routes.get(
                "/readers/{username}/groups", summary: "Groups that a reader is in, as far as you see them.",
                query: QueryParameter.paging, reply: .page(Self.group), ofReader)
            addMembers(to: &routes)
            addWaiting(to: &routes)
            addBoard(to: &routes)
        }

        var store: Store { site.community.groups }

        /// `GET /groups?sort=&q=` → 200 with a page; 422 for another sort, and for `q` with a sort that is not `name`.
        @Sendable private func directory(_ request: Request, context: SiteContext) async throws -> Reply {
            let query = try context.query()
            let prefix = try query.text("q", bytes: 1...Limits.groups.prefix.upperBound * 4)
            let wanted = try query.choice("sort", Sort.self)
            guard prefix == nil || wanted == nil || wanted == .name else {
                throw Failure.invalid("?q", .mismatch, "goes with sort=name alone")
            }
            let sort = wanted ?? (prefix == nil ? .active : .name)
            let filter = [sort.rawValue, prefix ?? ""].joined(separator: " ")
            let page = try context.page(list: "groups", filter: filter, key: Place.self)
            let groups = try await store.directory(sort, prefix: prefix ?? "", for: context.viewer, page: page)
            return try Reply.page(groups, list: "groups", filter: filter, context: context)
        }

        /// `POST /groups` `{name, description?, joining?, visibility?, book_id?}` → 201; 403 `account_frozen`,
        /// `email_unverified`, `account_new` in an account's first day, 409 `too_many_groups`, 422.
        @Sendable private func make(_ request: Request, context: SiteContext) async throws -> Reply {
            let maker = try context.signedIn().account
            var form = try context.form(request)
            let name = form.string("name", bytes: Self.nameBytes)
            let about = form.optionalString("description", bytes: Self.aboutBytes)
            let new = NewGroup(
                name: name, about: about, joining: form.optionalChoice("joining", Joining.self) ?? .open,
                visibility: form.optionalChoice("visibility", Openness.self) ?? .public,
                book: form.optionalID("book_id", as: Catalog.Work.self))
            form.judge(name: name.isEmpty ? nil : new.name, about: about)
            try form.check()
            return try await context.write(request) {
                let group = try await store.make(new, by: maker)
                return try Reply.created(group, location: "/groups/\(group.id)").tagged(group)
            }
        }

        /// `GET /groups/{group}` → 200; 404, also for a private one that you neither are in nor are invited into.
        @Sendable private func one(_ request: Request, context: SiteContext) async throws -> Reply {
            let group = try await store.group(try context.id("group", as: Group.self), for: context.viewer)
            return try Reply.json(.ok, group).tagged(group)
        }

        /// `PATCH /groups/{group}` `{name?, description?, joining?, book_id?}` → 200; what is left out stays, null clears.
        /// 403 `not_a_member`, `role_too_low`, 404, 412, 422.
        /// Refused with `precondition_failed` too.
        @Sendable private func change(_ request: Request, context: SiteContext) async throws -> Reply {
            let owner = try context.signedIn().account
            let id = try context.id("group", as: Group.self)
            var form = try context.form(request)
            let name = form.optionalString("name", bytes: Self.nameBytes)
            let about = form.optionalString("description", bytes: Self.aboutBytes)
            let joining = form.optionalChoice("joining", Joining.self)
            let book = form.optionalID("book_id", as: Catalog.Work.self)
            let change = Change(
                name: name, about: form.change("description", about), joining: joining,
                book: form.change("book_id", book))
            for (field, isNull) in [("name", name == nil), ("joining", joining == nil)]
            where form.has(field) && isNull && form.faults.all.isEmpty {
                form.fault(field, .required, "a group has one")
            }
            form.judge(name: change.name, about: about)
            try form.check()
            let version = Precondition(request.headers[.ifMatch], of: "group")
            return try await context.write(
                request,
                again: { _ in try context.reply(.ok, try await store.group(id, for: .reader(owner))) }
            ) {
                try context.reply(.ok, try await store.change(id, change, by: owner, ifVersion: version))
            }
        }

        /// `DELETE /groups/{group}` → 204; 403 `account_frozen`, `not_a_member`, `role_too_low`, 404, 412.
        @Sendable private func close(_ request: Request, context: SiteContext) async throws -> Reply {
            let owner = try context.signedIn().account
            let id = try context.id("group", as: Group.self)
            let version = Precondition(request.headers[.ifMatch], of: "group")
            return try await context.write(request) {
                try await store.close(id, by: owner, ifVersion: version)
                return .noContent
            }
        }

        /// `GET /me/groups` → 200 with a page.
        @Sendable private func mine(_ request: Request, context: SiteContext) async throws -> Reply {
            let reader = try context.signedIn().account
            let page = try context.page(list: "my-groups", filter: reader.text, key: ID<Group>.self)
            return try Reply.page(
                try await store.groups(of: reader, for: .reader(reader), page: page), list: "my-groups",
                filter: reader.text, context: context)
        }

        /// `GET /readers/{username}/groups` → 200 with a page of those that you see; 404.
        @Sendable private func ofReader(_ request: Request, context: SiteContext) async throws -> Reply {
            let username = try context.text("username")
            let filter = Accounts.Username.fold(username)
            let page = try context.page(list: "reader-groups", filter: filter, key: ID<Group>.self)
            return try Reply.page(
                try await store.groups(of: username, for: context.viewer, page: page), list: "reader-groups",
                filter: filter, context: context)
        }

        private static let sort = QueryParameter(
            "sort", .choice(Sort.allCases.map(\.rawValue)), "`active` where it is left out, `name` with `q`.")

        private static let prefix = QueryParameter(
            "q", .string(1...Limits.groups.prefix.upperBound * 4), "The beginning of a name, in any case.")
    }
}

extension SiteContext {
    /// A group that others may have made, without what they said about it for an access token that may not read groups.
    func reply(_ status: HTTPResponse.Status, _ group: Groups.Group) throws -> Reply {
        try Reply.json(status, mayRead("groups") ? group : group.withoutWords).tagged(group)
    }
}

extension Form {
    /// Adds what is wrong with what was sent as a name or text of a group.
    fileprivate mutating func judge(name: String?, about: String?) {
        var faults = Faults()
        if let name { Groups.check(name: name, into: &faults) }
        if let about { Groups.check(about: about, into: &faults) }
        add(faults)
    }
}
