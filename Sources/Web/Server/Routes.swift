/// The whole route table: every path of the server is added here, by its domain, under `/api/v1`.
///
/// A new domain is one line. `openapi.json` is generated from this table, and a test compares the two.
extension RouteTable {
    package static func all(_ site: Site) -> RouteTable {
        var table = RouteTable()
        EventStream.Routes(site).add(to: &table)
        return table
    }
}
