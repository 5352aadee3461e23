import Community
import JSONWriting
import NIOCore

extension SiteContext {
    /// What stands at the head of each page of who calls, as JSON: `{id, username, email, role, picture, unread_message_count,
    /// unread_notification_count}`; `nil` for strangers, and for an account that has just ended.
    package func masthead() async throws -> ByteBuffer? {
        guard let identity else { return nil }
        do {
            let own = try await community.profiles.masthead(of: identity.account)
            return try JSONWriter.buffer(Profiles.MastheadBody(own, base: base))
        } catch Failure.notFound {
            return nil
        }
    }
}

extension Profiles {
    fileprivate struct MastheadBody: JSONForm {
        let own: Masthead
        let base: String

        init(_ own: Masthead, base: String) { (self.own, self.base) = (own, base) }

        func put(into object: JSONObject) {
            object.put("id", own.account.id)
            object.put("username", own.account.username)
            object.put("email", own.account.email)
            object.put("role", own.account.role)
            object.put("picture", own.picture.map { Media.PictureBody($0, base: base) })
            object.put("unread_message_count", own.unread.messages)
            object.put("unread_notification_count", own.unread.notifications)
        }
    }
}
