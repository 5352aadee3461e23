import Community

/// The whole route table: every path of the server is added here, by its domain, under `/api/v1`.
///
/// A new domain is one line: it names the area by which access tokens are given scopes. `openapi.json` is generated
/// from this table, and a test compares the two.
extension RouteTable {
    package static func all(_ site: Site) throws -> RouteTable {
        var routes = RouteTable()
        routes.everybody { ServerInfo.Routes(site).add(to: &$0) }
        routes.area("catalog") { Catalog.Routes(site).add(to: &$0) }
        routes.area("search") { Search.Routes(site).add(to: &$0) }
        routes.area("catalog") { ISBN.Routes(site).add(to: &$0) }
        routes.area("catalog") { Sources.Routes(site).add(to: &$0) }
        routes.everybody("compatibility") { Volumes.Routes(site).add(to: &$0) }
        routes.area("accounts") { Accounts.Routes(site).add(to: &$0) }
        routes.area("friends") { Friends.Routes(site).add(to: &$0) }
        routes.area("reviews") { Reviews.Routes(site).add(to: &$0) }
        routes.area("library") { Library.Routes(site).add(to: &$0) }
        routes.area("library") { Praise.Routes(site).add(to: &$0) }
        routes.area("library") { Places.Routes(site).add(to: &$0) }
        routes.area("catalog") { Places.Routes(site).addChapters(to: &$0) }
        routes.area("notebook") { Notebook.Routes(site).add(to: &$0) }
        routes.area("library") { Lending.Routes(site).add(to: &$0) }
        routes.area("feed") { Feed.Routes(site).add(to: &$0) }
        routes.area("ranking") { Ranking.Routes(site).add(to: &$0) }
        routes.area("library") { Statistics.Routes(site).add(to: &$0) }
        routes.area("ranking") { Suggestions.Routes(site).add(to: &$0) }
        routes.area("media") { Media.Routes(site).add(to: &$0) }
        routes.area("photos") { Photos.Routes(site).add(to: &$0) }
        routes.area("ebooks") { Ebooks.Routes(site).add(to: &$0) }
        routes.area("accounts") { Profiles.Routes(site).add(to: &$0) }
        routes.area("feed") { Follows.Routes(site).add(to: &$0) }
        routes.area("messages") { Messages.Routes(site).add(to: &$0) }
        routes.area("stream") { EventStream.Routes(site).add(to: &$0) }
        routes.area("boards") { Boards.Routes(site).add(to: &$0) }
        routes.area("boards") { Gate.Routes(site).add(to: &$0) }
        routes.area("notifications") { Notifications.Routes(site).add(to: &$0) }
        routes.area("groups") { Groups.Routes(site).add(to: &$0) }
        routes.area("reports") { Moderation.Routes(site).addReports(to: &$0) }
        routes.area("reports") { Moderation.Routes(site).addSanctions(to: &$0) }
        routes.area("groups") { Moderation.Routes(site).addGroupLog(to: &$0) }
        routes.everybody("moderation") { Moderation.Routes(site).addLog(to: &$0) }
        routes.area(Moderation.Routes.area) { Moderation.Routes(site).add(to: &$0) }
        routes.area("accounts") { Operations.Routes(site).add(to: &$0) }
        Accounts.KeyRoutes(site, scopes: routes.scopes).add(to: &routes)
        Leaving.Routes(site).add(to: &routes)
        for including in Including.all { try routes.include(including) }
        try routes.everybody { try $0.addDescription(site) }
        return routes
    }
}
