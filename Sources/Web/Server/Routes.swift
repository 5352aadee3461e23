import Community

/// The whole route table: every path of the server is added here, by its domain, under `/api/v1`.
///
/// A new domain is one line. `openapi.json` is generated from this table, and a test compares the two.
extension RouteTable {
    package static func all(_ site: Site) throws -> RouteTable {
        var routes = RouteTable()
        ServerInfo.Routes(site).add(to: &routes)
        Catalog.Routes(site).add(to: &routes)
        Search.Routes(site).add(to: &routes)
        ISBN.Routes(site).add(to: &routes)
        Sources.Routes(site).add(to: &routes)
        Volumes.Routes(site).add(to: &routes)
        Accounts.Routes(site).add(to: &routes)
        Friends.Routes(site).add(to: &routes)
        Reviews.Routes(site).add(to: &routes)
        Library.Routes(site).add(to: &routes)
        Praise.Routes(site).add(to: &routes)
        Places.Routes(site).add(to: &routes)
        Lending.Routes(site).add(to: &routes)
        Feed.Routes(site).add(to: &routes)
        Media.Routes(site).add(to: &routes)
        Profiles.Routes(site).add(to: &routes)
        EventStream.Routes(site).add(to: &routes)
        try routes.addDescription(site)
        return routes
    }
}
