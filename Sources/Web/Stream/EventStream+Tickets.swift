import Community
import HTTPTypes
import Hummingbird
import Postgres

extension EventStream.Routes {
    /// What a page opens the stream with. It takes what the stream itself takes: `read:stream` of an access token, and an account that may be frozen.
    func addTickets(to routes: inout RouteTable) {
        routes.reading { routes in
            routes.post(
                "/stream/tickets", access: .reader,
                summary: "A ticket with which a page in a browser opens the stream once, within 30 seconds.",
                reply: Self.ticket, makeTicket)
        }
    }

    /// `POST /stream/tickets` → 201 `{ticket, expires_at}`, for the page that `Origin` names; 403 `origin_not_allowed` for one that may not call.
    @Sendable private func makeTicket(_ request: Request, context: SiteContext) async throws -> Reply {
        let identity = try context.signedIn()
        let page = try admission.page(origin: request.headers[.origin], host: request.head.authority)
        let accounts = site.community.accounts
        return try await context.write(request, stillHolds: { try await holds($0, for: page) }) {
            let made = try await accounts.makeStreamTicket(for: identity, origin: page)
            let body = TicketBody(ticket: made.ticket.text, expiresAt: made.expiresAt)
            return try Reply.created(body, location: "/stream").sealed
        }
    }

    /// Throws `Problem.doneAndGone` for a stored answer whose ticket opens nothing by now.
    private func holds(_ stored: Reply, for page: String?) async throws {
        guard case .bytes(let body) = stored.content,
            case .object(let members) = try JSONValue.parse(Array(body.readableBytesView)).value,
            case .string(let ticket)? = members["ticket"],
            try await site.community.accounts.holds(ticket: ticket, origin: page)
        else { throw Problem.doneAndGone }
    }

    private struct TicketBody: Encodable {
        let ticket: String
        let expiresAt: Timestamp
    }

    private static let ticket = Schema.object("StreamTicket", ["ticket": .string, "expires_at": .time])
}
