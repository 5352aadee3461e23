/// Every limit of the community in one table; `commonplace config` and `GET /api/v1/server` show it.
package enum Limits {
    /// Items on one page of any list.
    package static let page = 1...100
    package static let defaultPage = 20
    /// Bytes of a JSON request body.
    package static let body = 256 * 1024
}
