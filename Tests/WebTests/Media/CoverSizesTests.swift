import Community
import HTTPTypes
import TestSupport
import Testing
import Web

/// Where the images of covers are said to be.
@Suite(.database) struct CoverSizesTests {
    /// The proxy in front of the server speaks TLS; apps come to it by these links.
    @Test(.requirement("CAT-10"))
    func `links to covers begin with the https address of the server, and each of several sizes is there`() async throws
    {
        let site = "https://books.example.org"
        try await withApp(site: { $0.publicURL = site }) { app in
            let book = try await app.world.given.book("Emma", by: "Jane Austen")
            let page = try await app.get("/api/v1/books/\(book)").json
            #expect(page["cover"]?["url"]?.text?.hasPrefix(site + "/covers/") == true)
            let edition = try #require(page["editions"]?[0]?["id"]?.text)
            guard case .object(let sizes)? = try await app.get("/api/v1/editions/\(edition)/cover").json["widths"]
            else {
                Issue.record("the cover has no sizes")
                return
            }
            #expect(sizes.count >= 4)
            for (width, address) in sizes {
                let url = try #require(address.text)
                #expect(url.hasPrefix(site + "/covers/\(edition)/\(width)"))
                let image = try await app.get(String(url.dropFirst(site.count)))
                #expect(image.status == .ok && image.headers[.contentType]?.hasPrefix("image/") == true, "\(url)")
                #expect(try Media.ImageHeader(image.body).width == Int(width), "\(url)")
            }
        }
    }
}
