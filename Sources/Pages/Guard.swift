import Community
import Cryptography
import HTTPTypes
import Hummingbird
import Web

/// What keeps other sites from sending our forms.
extension Pages {
    /// The hidden fields of each form. Of strangers it holds no secret: their pages are the same for all of them.
    func guardFields(from address: String, in context: SiteContext) -> String {
        var fields = Self.field("_from", address)
        if let identity = context.identity {
            fields += Self.field("_token", token(of: identity))
            // A form that is sent twice is taken once.
            fields += Self.field("_key", SystemRandom().bytes(12).base64URL)
        }
        return fields
    }

    private static func field(_ name: String, _ value: String) -> String {
        "<input type=\"hidden\" name=\"\(name)\" value=\"\(HTML.escaped(value))\">"
    }

    private func token(of identity: Accounts.Identity) -> String { Array(signature(of: identity).prefix(16)).base64URL }

    private func signature(of identity: Accounts.Identity) -> [UInt8] {
        site.community.services.settings.secret.sign(Array(identity.session.text.utf8), for: .form)
    }

    /// Throws `Problem`: 403 `origin_not_allowed` for a form of another site, 403 `form_expired` for one of another session, or of one that
    /// is over.
    func check(_ sent: Sent, _ request: Request, _ context: SiteContext) throws {
        guard isOwn(request, context) else {
            throw Problem(.originNotAllowed, "Forms are taken from this server's own pages.")
        }
        if context.identity == nil {
            guard sent["_token"] == nil else { throw Problem(.formExpired, "You are no longer signed in.") }
            return
        }
        guard hasToken(sent, context) else {
            throw Problem(.formExpired, "It was made before you signed in, or by somebody else.")
        }
    }

    /// Whether a page of ours may show what was typed. What another site's form says would look like words of this server.
    func isShown(_ sent: Sent, _ request: Request, _ context: SiteContext) -> Bool {
        isOwn(request, context) || hasToken(sent, context)
    }

    /// Whether it comes from a page that was made for this session.
    private func hasToken(_ sent: Sent, _ context: SiteContext) -> Bool {
        guard let identity = context.identity, let token = sent["_token"], let signature = [UInt8](base64URL: token),
            signature.count == 16
        else { return false }
        return site.community.services.settings.secret.verifies(
            signature, of: Array(identity.session.text.utf8), for: .form)
    }

    /// Whether a page of this server sent it: browsers say so, today's by `Sec-Fetch-Site` and older ones by `Origin`.
    private func isOwn(_ request: Request, _ context: SiteContext) -> Bool {
        if let site = request.headers[.fetchSite] { return site == "same-origin" }
        return request.headers[.origin].map { $0 == context.base } ?? false
    }
}
