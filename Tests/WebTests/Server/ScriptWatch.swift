import Foundation
import TestSupport

/// Shows HTML in a browser, in a bare page, and tells what ran.
///
/// Each text stands in an element of its own, is clicked, hovered over, focused and so on. Whatever a script could do
/// is watched from within (`script`) and, for what it may fetch, from the server. What may stand in a text at all is
/// looked at in the browser's own reading of it.
struct ScriptWatch: Decodable, Equatable {
    /// Elements that hold a text; fewer than were sent where one swallowed others.
    let texts: Int
    /// Whether the page's end is where it was put.
    let isWhole: Bool
    /// Up to 50, as the two below: calls of `alert` and its like, errors of scripts, a title or cookie that was set.
    let ran: [String]
    /// Elements, attributes and addresses that no text may hold.
    let odd: [String]
    /// What the page's policy forbade.
    let blocked: [String]
    /// Paths that were asked for besides the page and `script`.
    var asked: [String] = []

    /// So many texts that did nothing.
    static func nothing(of texts: Int) -> ScriptWatch {
        ScriptWatch(texts: texts, isWhole: true, ran: [], odd: [], blocked: [])
    }

    private enum CodingKeys: CodingKey { case texts, isWhole, ran, odd, blocked }

    /// What a page should send along that shows what readers write.
    static let policy = """
        default-src 'none'; script-src 'self'; object-src 'none'; base-uri 'none'; frame-ancestors 'none'; \
        form-action 'self'
        """

    /// A page of these texts, with `policy` or without any.
    static func showing(_ texts: [String], hasPolicy: Bool) async throws -> ScriptWatch {
        let page =
            "<!doctype html><html><head><meta charset=utf-8><script src=/watch.js></script></head><body>"
            + texts.map { "<div class=text>\($0)</div>" }.joined() + "<hr></body></html>"
        let answers: [String: CatalogueStub.Answer] = [
            "/page": .head(
                head("text/html") + (hasPolicy ? "Content-Security-Policy: \(policy)\r\n" : ""),
                body: Array(page.utf8)),
            "/watch.js": .head(head("text/javascript"), body: Array(script.utf8)),
        ]
        return try await CatalogueStub.serving(answers) { stub in
            let document = try await Browser.document("/page", port: stub.port)
            var watch = try verdict(in: document)
            watch.asked = stub.asked.filter { !["/page", "/watch.js", "/favicon.ico"].contains($0) }
            return watch
        }
    }

    private static func head(_ type: String) -> String {
        "HTTP/1.1 200 OK\r\nContent-Type: \(type); charset=utf-8\r\nConnection: close\r\n"
    }

    private static func verdict(in document: String) throws -> ScriptWatch {
        guard let start = document.firstRange(of: #"<pre id="verdict">"#)?.upperBound,
            let end = document[start...].firstRange(of: "</pre>")?.lowerBound
        else { throw NoVerdict(document: String(document.prefix(2000))) }
        let text = document[start..<end].replacing("&lt;", with: "<").replacing("&gt;", with: ">")
            .replacing("&nbsp;", with: "\u{A0}").replacing("&amp;", with: "&")
        return try JSONDecoder().decode(ScriptWatch.self, from: Data(text.utf8))
    }

    /// The page was taken over, or its script never came to its end.
    struct NoVerdict: Error { let document: String }

    private static let script = #"""
        "use strict";
        (() => {
            const [ran, odd, blocked] = [[], [], []];
            for (const name of ["alert", "confirm", "prompt", "print", "open", "eval", "msgbox"]) {
                window[name] = (what) => { ran.push(name + " " + what); };
            }
            addEventListener("error", (event) => {
                if (event instanceof ErrorEvent) ran.push("error " + event.message);
            }, true);
            addEventListener("unhandledrejection", () => ran.push("rejection"));
            addEventListener("securitypolicyviolation", (event) => {
                blocked.push(event.effectiveDirective + " " + event.blockedURI);
            });
            const known = new Set("p br strong em del code pre blockquote ul ol li a span mark".split(" "));
            const safe = new Set(["http:", "https:", "mailto:"]);
            // Links that lead away would end the page; all the others may do what they do.
            addEventListener("click", (event) => {
                const link = event.target.closest("a[href]");
                if (link && safe.has(link.protocol)) event.preventDefault();
            }, true);
            const events = ("dblclick mouseover mouseenter mousemove pointerover pointerenter focus focusin wheel"
                + " scroll toggle beforetoggle start animationstart transitionend keydown input change load pageshow"
                + " hashchange").split(" ");
            // Only what has a handler or an address can answer.
            const touch = (element) => {
                if (!known.has(element.localName)) odd.push("<" + element.localName + ">");
                const names = element.getAttributeNames();
                const handlers = names.filter((name) => name.startsWith("on") || name === "style");
                odd.push(...handlers);
                if (element.localName === "a" && !safe.has(element.protocol)) odd.push(element.protocol);
                if (handlers.length > 0 || element.localName === "a") {
                    element.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true }));
                }
                if (handlers.length === 0) return;
                for (const name of events) {
                    element.dispatchEvent(new Event(name, { bubbles: true, cancelable: true }));
                }
            };
            const tell = (texts, isWhole) => {
                if (document.title !== "") ran.push("title " + document.title);
                if (document.cookie !== "") ran.push("cookie " + document.cookie);
                const verdict = document.createElement("pre");
                verdict.id = "verdict";
                const some = (list) => [...new Set(list)].slice(0, 50);
                verdict.textContent = JSON.stringify({
                    texts, isWhole, ran: some(ran), odd: some(odd), blocked: some(blocked),
                });
                document.body.replaceChildren(verdict);
            };
            addEventListener("load", () => setTimeout(() => {
                const texts = document.querySelectorAll("body > div.text").length;
                const isWhole = document.querySelector("body > hr:last-child") !== null;
                document.querySelectorAll("div.text *").forEach(touch);
                setTimeout(() => tell(texts, isWhole), 200);
            }, 200));
        })();
        """#
}
