import Community
import HTTPTypes
import Hummingbird

extension Lending.Routes {
    func addMembers(to routes: inout RouteTable) {
        routes.get(
            "/libraries/{library}/members",
            summary: "The members of a library that you belong to; an owner sees the invited, too.",
            query: QueryParameter.paging, reply: .page(Self.member), members)
        routes.post(
            "/libraries/{library}/members",
            summary: "Invite a friend into a library of yours, who sees it with its copies before joining.",
            body: Self.newMember, reply: Self.member, invite)
        routes.patch(
            "/libraries/{library}/members/{username}", access: .reader,
            summary: "Give a member of your library another role.", body: Self.newRole, reply: Self.member, setRole)
        routes.delete(
            "/libraries/{library}/members/{username}",
            summary: "Remove a member from your library, or withdraw an invitation.", removeMember)
        routes.post(
            "/libraries/{library}/invitation/accept", access: .reader,
            summary: "Join a library that you are invited to.",
            status: .ok, reply: Self.library, accept)
        routes.post(
            "/libraries/{library}/invitation/decline", access: .reader, summary: "Decline an invitation to a library.",
            status: .noContent, decline)
        routes.delete("/libraries/{library}/membership", summary: "Leave a library.", leave)
    }

    /// `GET /libraries/{library}/members` → 200 with a page; 404, also for who is no member.
    @Sendable private func members(_ request: Request, context: SiteContext) async throws -> Reply {
        let id = try Self.library(context)
        let page = try context.page(list: "library-members", filter: id.text, key: ID<Accounts.Account>.self)
        return try Reply.page(
            try await store.members(of: id, for: context.viewer, page: page), list: "library-members", filter: id.text,
            context: context)
    }

    /// `POST /libraries/{library}/members` `{username, role?}` → 201 with the invitation; role `reader` where it is left out. 403
    /// `not_owner`, `not_friends`, 404, 409 `already_member`, `library_full`, `too_many_libraries`, `permanent`, 422, 429.
    @Sendable private func invite(_ request: Request, context: SiteContext) async throws -> Reply {
        let identity = try context.signedIn()
        let id = try Self.library(context)
        var form = try context.form(request)
        let username = form.string("username", bytes: 1...100)
        let role = form.optionalChoice("role", Lending.Role.self) ?? .reader
        try form.check()
        return try await context.write(
            request,
            again: { _ in try Reply.json(.ok, try await store.member(username, of: id, for: identity.account)) }
        ) {
            let member = try await store.invite(username, as: role, into: id, by: identity)
            return try Reply.created(member, location: "/libraries/\(id)/members/\(member.reader.username)")
        }
    }

    /// `PATCH /libraries/{library}/members/{username}` `{role}` → 200; 403 `not_owner`, 404, 409 `last_owner`, `permanent`, 422.
    /// Refused with `account_frozen` too.
    @Sendable private func setRole(_ request: Request, context: SiteContext) async throws -> Reply {
        let identity = try context.signedIn()
        let id = try Self.library(context)
        let username = try context.text("username")
        var form = try context.form(request)
        let role = form.optionalChoice("role", Lending.Role.self)
        if role == nil, form.faults.all.isEmpty { form.fault("role", .required, "must be given") }
        try form.check()
        return try await context.write(
            request,
            again: { _ in try Reply.json(.ok, try await store.member(username, of: id, for: identity.account)) }
        ) {
            try Reply.json(
                .ok, try await store.setRole(of: username, to: role ?? .reader, in: id, by: identity))
        }
    }

    /// `DELETE /libraries/{library}/members/{username}` → 204; 403 `not_owner`, 404, 409 `last_owner`, `permanent`.
    /// Refused with `account_frozen` too.
    @Sendable private func removeMember(_ request: Request, context: SiteContext) async throws -> Reply {
        let identity = try context.signedIn()
        let id = try Self.library(context)
        let username = try context.text("username")
        return try await context.write(request) {
            try await store.remove(username, from: id, by: identity)
            return .noContent
        }
    }

    /// `POST /libraries/{library}/invitation/accept` → 200 with the library; 403 `account_frozen`, 404 for who is not invited.
    @Sendable private func accept(_ request: Request, context: SiteContext) async throws -> Reply {
        let reader = try context.signedIn().account
        let id = try Self.library(context)
        return try await context.write(
            request, again: { _ in try context.reply(try await store.library(id, for: .reader(reader))) }
        ) {
            try context.reply(try await store.accept(id, by: reader))
        }
    }

    /// `POST /libraries/{library}/invitation/decline` → 204; 404 for who is not invited.
    @Sendable private func decline(_ request: Request, context: SiteContext) async throws -> Reply {
        let reader = try context.signedIn().account
        let id = try Self.library(context)
        return try await context.write(request) {
            try await store.decline(id, by: reader)
            return .noContent
        }
    }

    /// `DELETE /libraries/{library}/membership` → 204, also for who is no member; 404, 409 `last_owner`, `permanent`.
    @Sendable private func leave(_ request: Request, context: SiteContext) async throws -> Reply {
        let reader = try context.signedIn().account
        let id = try Self.library(context)
        return try await context.write(request) {
            try await store.leave(id, by: reader)
            return .noContent
        }
    }
}
