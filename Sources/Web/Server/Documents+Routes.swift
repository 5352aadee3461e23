import HTTPTypes

extension ServerInfo {
    /// Documents that a running server shows beside those that are made from its route table.
    struct Documents: Sendable {
        func add(to routes: inout RouteTable) {
            routes.page("/docs/stream", summary: "The protocol of the stream, for people.") { _, _ in Self.stream }
            routes.page(
                "/docs/stream.js", type: "text/javascript",
                summary: "A module for pages in browsers that follows topics and comes back by itself."
            ) { _, _ in Self.follower }
        }

        private static let stream = Document.page(
            of: PackageResources.README_md, links: ["Sample/commonplace-stream.js": "stream.js"])
        private static let follower = Reply.text(
            .ok, String(decoding: PackageResources.commonplace_stream_js, as: UTF8.self),
            type: "text/javascript; charset=utf-8")
    }
}
