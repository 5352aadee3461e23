import Community
import HTTPTypes
import Hummingbird

extension Groups.Routes {
    func addMembers(to routes: inout RouteTable) {
        routes.get(
            "/groups/{group}/members", summary: "Members of a group whom you see, those who joined first first.",
            query: QueryParameter.paging, reply: .page(Self.member), members)
        routes.put(
            "/groups/{group}/membership",
            summary:
                "Join a group (201, in it already 200), or ask to (202) where its owners and moderators let readers in.",
            status: .accepted, reply: Self.group, join)
        routes.delete(
            "/groups/{group}/membership",
            summary: """
                Leave a group, or take back your request. With its last owner a group passes to the member who has been \
                there longest, moderators first; with its last member it closes.
                """, leave)
        routes.patch(
            "/groups/{group}/members/{username}", access: .reader, summary: "Give a member of your group another role.",
            body: Self.newRole, reply: Self.member, setRole)
        routes.delete(
            "/groups/{group}/members/{username}",
            summary: "Remove somebody from the group, who may come in again. For moderators.", remove)
        routes.get(
            "/groups/{group}/bans", access: .reader,
            summary: "Whom the group bans, the newest first, as far as you see them. For moderators.",
            query: QueryParameter.paging, reply: .page(Self.ban), bans)
        routes.put(
            "/groups/{group}/bans/{username}",
            summary: """
                Ban somebody, a member or not: they do not come in until a moderator invites them or lifts the ban. For \
                moderators.
                """, status: .noContent, ban)
        routes.delete(
            "/groups/{group}/bans/{username}",
            summary: "Lift a ban; who was banned is not told, and may join as others do. For moderators.", unban)
    }

    func addWaiting(to routes: inout RouteTable) {
        routes.get(
            "/groups/{group}/requests", access: .reader,
            summary: "Who waits to be let in, oldest first. For moderators.",
            query: QueryParameter.paging, reply: .page(Self.request), requests)
        routes.post(
            "/groups/{group}/requests/{username}/accept", access: .reader,
            summary: "Let somebody in who asked. For moderators.",
            status: .noContent, accept)
        routes.post(
            "/groups/{group}/requests/{username}/decline", access: .reader,
            summary: "Decline a request; nobody is told. For moderators.", status: .noContent, decline)
        routes.put(
            "/groups/{group}/invitations/{username}",
            summary: "Invite a friend, who may then join whatever the way. To a group that is not open, moderators do.",
            status: .noContent, invite)
        routes.delete("/groups/{group}/invitations/{username}", summary: "Take an invitation back.", uninvite)
        routes.post(
            "/groups/{group}/invitation/accept", summary: "Join a group that you are invited into.", status: .ok,
            reply: Self.group, acceptInvitation)
        routes.post(
            "/groups/{group}/invitation/decline", access: .reader,
            summary: "Decline an invitation into a group; nobody is told.", status: .noContent, declineInvitation)
        routes.get(
            "/me/group-invitations", access: .reader, summary: "Groups that you are invited into.",
            query: QueryParameter.paging, reply: .page(Self.invitation), invitations)
    }

    /// `GET /groups/{group}/members` → 200 with a page; 403 `not_a_member` for who is only invited into a private one,
    /// 404.
    @Sendable private func members(_ request: Request, context: SiteContext) async throws -> Reply {
        let id = try context.id("group", as: Groups.Group.self)
        let page = try context.page(list: "group-members", filter: id.text, key: Groups.Key.self)
        return try Reply.page(
            try await store.members(of: id, for: context.viewer, page: page), list: "group-members", filter: id.text,
            context: context)
    }

    /// `PUT /groups/{group}/membership` → 201 with the group, 200 for who is in it, 202 where it waits for an answer; 403 `account_frozen`,
    /// `email_unverified`, `banned`, `invitation_needed`, 404, 409 `group_full`, `too_many_groups`,
    /// `too_many_requests`.
    @Sendable private func join(_ request: Request, context: SiteContext) async throws -> Reply {
        let reader = try context.signedIn().account
        let id = try context.id("group", as: Groups.Group.self)
        return try await context.write(
            request,
            again: { _ in try context.reply(.ok, try await store.group(id, for: .reader(reader))) }
        ) {
            switch try await store.join(id, by: reader) {
            case .entered(let group): try context.reply(.created, group)
            case .member(let group): try context.reply(.ok, group)
            case .pending(let group): try context.reply(.accepted, group)
            }
        }
    }

    /// `DELETE /groups/{group}/membership` → 204, also for who is no member; 404.
    @Sendable private func leave(_ request: Request, context: SiteContext) async throws -> Reply {
        let reader = try context.signedIn().account
        let id = try context.id("group", as: Groups.Group.self)
        return try await context.write(request) {
            try await store.leave(id, by: reader)
            return .noContent
        }
    }

    /// `PATCH /groups/{group}/members/{username}` `{role}` → 200; 403 `not_a_member`, `role_too_low`, 404, 409
    /// `last_owner`, `too_many_leaders`, 422.
    /// Refused with `account_frozen` too.
    @Sendable private func setRole(_ request: Request, context: SiteContext) async throws -> Reply {
        let owner = try context.signedIn().account
        let id = try context.id("group", as: Groups.Group.self)
        let username = try context.text("username")
        var form = try context.form(request)
        let role = form.optionalChoice("role", Groups.Role.self)
        if role == nil, form.faults.all.isEmpty { form.fault("role", .required, "must be given") }
        try form.check()
        return try await context.write(
            request, again: { _ in try Reply.json(.ok, try await store.member(username, of: id, for: owner)) }
        ) {
            try Reply.json(.ok, try await store.setRole(of: username, to: role ?? .member, in: id, by: owner))
        }
    }

    /// `DELETE /groups/{group}/members/{username}` → 204; 403 `account_frozen`, `not_a_member`, `role_too_low`, 404,
    /// 422 for oneself.
    /// Refused with `validation` too.
    @Sendable private func remove(_ request: Request, context: SiteContext) async throws -> Reply {
        let leader = try context.signedIn().account
        let id = try context.id("group", as: Groups.Group.self)
        let username = try context.text("username")
        return try await context.write(request) {
            try await store.remove(username, from: id, by: leader)
            return .noContent
        }
    }

    /// `PUT /groups/{group}/bans/{username}` → 204, again and again; as removing.
    /// Refused with `role_too_low` too.
    /// Refused with `not_a_member`, `validation` too.
    @Sendable private func ban(_ request: Request, context: SiteContext) async throws -> Reply {
        let leader = try context.signedIn().account
        let id = try context.id("group", as: Groups.Group.self)
        let username = try context.text("username")
        return try await context.write(request) {
            try await store.remove(username, from: id, isBan: true, by: leader)
            return .noContent
        }
    }

    /// `GET /groups/{group}/bans` → 200 with a page; 403 `not_a_member`, `role_too_low`, 404.
    @Sendable private func bans(_ request: Request, context: SiteContext) async throws -> Reply {
        let leader = try context.signedIn().account
        let id = try context.id("group", as: Groups.Group.self)
        let page = try context.page(list: "group-bans", filter: id.text, key: Groups.Key.self)
        return try Reply.page(
            try await store.bans(of: id, for: leader, page: page), list: "group-bans", filter: id.text,
            context: context)
    }

    /// `DELETE /groups/{group}/bans/{username}` → 204, also where there is none; 403 `account_frozen`, `not_a_member`,
    /// `role_too_low`, 404.
    @Sendable private func unban(_ request: Request, context: SiteContext) async throws -> Reply {
        let leader = try context.signedIn().account
        let id = try context.id("group", as: Groups.Group.self)
        let username = try context.text("username")
        return try await context.write(request) {
            try await store.unban(username, from: id, by: leader)
            return .noContent
        }
    }

    // MARK: Requests and invitations

    /// `GET /groups/{group}/requests` → 200 with a page; 403 `not_a_member`, `role_too_low`, 404.
    @Sendable private func requests(_ request: Request, context: SiteContext) async throws -> Reply {
        let leader = try context.signedIn().account
        let id = try context.id("group", as: Groups.Group.self)
        let page = try context.page(list: "group-requests", filter: id.text, key: Groups.Key.self)
        return try Reply.page(
            try await store.requests(to: id, for: leader, page: page), list: "group-requests", filter: id.text,
            context: context)
    }

    /// `POST /groups/{group}/requests/{username}/accept` → 204; 403 `not_a_member`, `role_too_low`, 404, 409 `group_full`,
    /// `too_many_groups`.
    /// Refused with `account_frozen` too.
    @Sendable private func accept(_ request: Request, context: SiteContext) async throws -> Reply {
        let leader = try context.signedIn().account
        let id = try context.id("group", as: Groups.Group.self)
        let username = try context.text("username")
        return try await context.write(request) {
            try await store.accept(username, into: id, by: leader)
            return .noContent
        }
    }

    /// `POST /groups/{group}/requests/{username}/decline` → 204; 403 `not_a_member`, `role_too_low`, 404.
    /// Refused with `account_frozen` too.
    @Sendable private func decline(_ request: Request, context: SiteContext) async throws -> Reply {
        let leader = try context.signedIn().account
        let id = try context.id("group", as: Groups.Group.self)
        let username = try context.text("username")
        return try await context.write(request) {
            try await store.decline(username, from: id, by: leader)
            return .noContent
        }
    }

    /// `PUT /groups/{group}/invitations/{username}` → 204; 403 `not_a_member`, `role_too_low`, `not_friends`, 404, 422
    /// for oneself, 429.
    @Sendable private func invite(_ request: Request, context: SiteContext) async throws -> Reply {
        let inviter = try context.signedIn()
        let id = try context.id("group", as: Groups.Group.self)
        let username = try context.text("username")
        return try await context.write(request) {
            try await store.invite(username, into: id, by: inviter)
            return .noContent
        }
    }

    /// `DELETE /groups/{group}/invitations/{username}` → 204, also where none waits; 403 `not_a_member`,
    /// `role_too_low`, 404.
    /// Refused with `account_frozen` too.
    @Sendable private func uninvite(_ request: Request, context: SiteContext) async throws -> Reply {
        let member = try context.signedIn().account
        let id = try context.id("group", as: Groups.Group.self)
        let username = try context.text("username")
        return try await context.write(request) {
            try await store.uninvite(username, from: id, by: member)
            return .noContent
        }
    }

    /// `POST /groups/{group}/invitation/accept` → 200 with the group; as joining, and 404 without an invitation.
    @Sendable private func acceptInvitation(_ request: Request, context: SiteContext) async throws -> Reply {
        let reader = try context.signedIn().account
        let id = try context.id("group", as: Groups.Group.self)
        return try await context.write(
            request, again: { _ in try context.reply(.ok, try await store.group(id, for: .reader(reader))) }
        ) {
            try context.reply(.ok, try await store.acceptInvitation(to: id, by: reader))
        }
    }

    /// `POST /groups/{group}/invitation/decline` → 204; 404.
    @Sendable private func declineInvitation(_ request: Request, context: SiteContext) async throws -> Reply {
        let reader = try context.signedIn().account
        let id = try context.id("group", as: Groups.Group.self)
        return try await context.write(request) {
            try await store.declineInvitation(to: id, by: reader)
            return .noContent
        }
    }

    /// `GET /me/group-invitations` → 200 with a page.
    @Sendable private func invitations(_ request: Request, context: SiteContext) async throws -> Reply {
        let reader = try context.signedIn().account
        let page = try context.page(list: "group-invitations", filter: reader.text, key: ID<Groups.Group>.self)
        return try Reply.page(
            try await store.invitations(of: reader, page: page), list: "group-invitations", filter: reader.text,
            context: context)
    }
}
