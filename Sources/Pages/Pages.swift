import Community
import Cryptography
import HTTPTypes
import Hummingbird
import NIOCore
import Web

/// The community in a browser: pages over the calls of the API, in the same process. `README.md` says how a page is made.
package struct Pages: Sendable {
    let site: Site
    /// The calls that pages make.
    let api: RouteTable
    private let english: Renderer
    private let pseudo: Renderer
    let assets = Assets()
    private let kept: Kept
    /// Every page by its address, to find the one on which a form stood.
    private let shown: RouteTable
    private let screens: [String: Screen]

    /// Throws `Template.Fault` where a template or text of this program is wrong.
    init(_ site: Site, over api: RouteTable) throws {
        let library = try Library()
        self.site = site
        self.api = api
        kept = Kept(watching: site.community.services.database)
        let clock = site.community.services.clock
        english = library.renderer(library.texts, clock: clock)
        pseudo = library.renderer(library.texts.pseudo, clock: clock)
        var shown = RouteTable(prefix: "")
        for page in Page.all { shown.place(page.path) }
        self.shown = shown
        screens = try Page.all.reduce(into: [:]) { $0[$1.path] = try Screen($1, in: api) }
    }

    /// The pages of `site` over its calls. Throws where a template, a text or the call of a page is wrong: a fault of this program.
    package static func table(_ site: Site, over api: RouteTable) throws -> RouteTable {
        let pages = try Pages(site, over: api)
        var table = RouteTable(prefix: "")
        try table.everybody("pages") { table in
            for page in Page.all { pages.add(page, to: &table) }
            pages.addLeads(to: &table)
            pages.addSitemap(to: &table)
            try pages.addForms(to: &table)
            pages.addAssets(to: &table)
        }
        return table
    }

    /// The words of the reader's browser. Beside English there is the made-up language, for those who look after the texts.
    func renderer(for request: Request) -> (renderer: Renderer, language: String) {
        request.headers[.acceptLanguage]?.hasPrefix("qps") == true ? (pseudo, "qps") : (english, "en")
    }

    /// The page at `address`, and its route; `nil` where there is none.
    func screen(at address: String) -> (screen: Screen, route: Route)? {
        guard let route = shown.route(.get, address), let screen = screens[route.path] else { return nil }
        return (screen, route)
    }

    private func add(_ page: Page, to table: inout RouteTable) {
        guard let screen = screens[page.path] else { return }
        table.page(page.path, limit: screen.limit, summary: "A page: \(page.template).", face: face) {
            request, context in
            // A cookie may say how the page is to look.
            guard screen.isShared, context.identity == nil, request.headers[.cookie] == nil else {
                return try await answer(screen, to: request, in: context)
            }
            let key = Kept.Key(
                target: context.target, base: context.base, language: renderer(for: request).language)
            return try await kept.page(key) {
                try await answer(screen, to: request, in: context)
            }
        }
    }

    var face: Face {
        Face(
            headers: Self.headers(isSecure: site.isSecure),
            token: { [cookie = site.sessionCookie] in cookie.value(in: $0.headers[values: .cookie]) },
            refusal: { await refusal(of: $0, to: $1, in: $2) })
    }

    private static func headers(isSecure: Bool) -> HTTPFields {
        var headers: HTTPFields = [
            .contentSecurityPolicy: """
            default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; font-src 'self'; \
            manifest-src 'self'; worker-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'
            """,
            .xContentTypeOptions: "nosniff",
            .vary: "Accept-Language, Cookie",
        ]
        headers[.referrerPolicy] = "same-origin"
        // A site that opens a page in a window holds no handle to it, and so learns nothing of what it leads to.
        headers[HTTPField.Name(known: "Cross-Origin-Opener-Policy")] = "same-origin"
        if isSecure { headers[.strictTransportSecurity] = "max-age=31536000" }
        return headers
    }
}
