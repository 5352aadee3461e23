import HTTPTypes

/// A page for people: HTML without styles and scripts, which the policy of every answer forbids.
enum HTMLPage {
    /// `title` is text, `body` is HTML.
    static func reply(_ title: String, _ body: String) -> Reply {
        .text(
            .ok,
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\"><title>\(escaped(title))</title></head>\n"
                + "<body>\n<h1>\(escaped(title))</h1>\n\(body)</body>\n</html>\n",
            type: "text/html; charset=utf-8")
    }

    static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    }
}

/// A document of this repository as a page: as much of Markdown as these are written in.
///
/// Headings with the anchors that links name, paragraphs, lists of one level, tables and fenced code; in a line code,
/// strong words and links. A link leads to an anchor of the page, or to what `links` has for it. Of any other the
/// words stay: it leads to a file that is not served.
struct Document {
    private let links: [String: String]

    /// `markdown`: UTF-8 that begins with the title. `links`: addresses by how the document names them.
    static func page(of markdown: [UInt8], links: [String: String]) -> Reply {
        let lines = String(decoding: markdown, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
        let title = lines.first.map { $0.drop { $0 == "#" || $0 == " " } } ?? ""
        return HTMLPage.reply(String(title), Document(links: links).html(of: lines.dropFirst()))
    }

    private func html(of lines: ArraySlice<Substring>) -> String {
        var rest = lines
        var html = ""
        while let first = rest.first {
            if first.hasPrefix("```") {
                let code = rest.dropFirst().prefix { $0 != "```" }
                html += "<pre>\(HTMLPage.escaped(code.joined(separator: "\n")))</pre>\n"
                rest = rest.dropFirst(code.count + 2)
            } else {
                let block = rest.prefix { !$0.isEmpty }
                html += self.html(ofBlock: block)
                rest = rest.dropFirst(block.count + 1)
            }
        }
        return html
    }

    /// `lines`: what stands between two empty ones.
    private func html(ofBlock lines: ArraySlice<Substring>) -> String {
        guard let first = lines.first else { return "" }
        if first.hasPrefix("#") {
            let level = first.prefix { $0 == "#" }.count
            let words = String(first.dropFirst(level + 1))
            return "<h\(level) id=\"\(anchor(words))\">\(html(ofLine: words))</h\(level)>\n"
        }
        if first.hasPrefix("|") { return table(lines) }
        if first.hasPrefix("- ") { return list(lines, "ul") }
        if first.hasPrefix("1. ") { return list(lines, "ol") }
        return "<p>\(html(ofLine: lines.joined(separator: "\n")))</p>\n"
    }

    /// The first row names the columns.
    private func table(_ lines: ArraySlice<Substring>) -> String {
        var rows = ""
        for (number, line) in lines.filter({ !$0.hasPrefix("|---") }).enumerated() {
            let cell = number == 0 ? "th" : "td"
            let cells = line.split(separator: "|").map { "<\(cell)>\(html(ofLine: String($0)))</\(cell)>" }
            rows += "<tr>\(cells.joined())</tr>\n"
        }
        return "<table>\n\(rows)</table>\n"
    }

    /// An item goes on in the lines that stand in.
    private func list(_ lines: ArraySlice<Substring>, _ tag: String) -> String {
        var items: [String] = []
        for line in lines {
            if line.hasPrefix(" "), let last = items.popLast() {
                items.append("\(last)\n\(line.drop { $0 == " " })")
            } else {
                items.append(String(line.drop { $0 != " " }.dropFirst()))
            }
        }
        return "<\(tag)>\n\(items.map { "<li>\(html(ofLine: $0))</li>\n" }.joined())</\(tag)>\n"
    }

    private func html(ofLine text: String) -> String {
        var html = ""
        for (number, part) in text.split(separator: "`", omittingEmptySubsequences: false).enumerated() {
            let words = HTMLPage.escaped(String(part))
            html += number.isMultiple(of: 2) ? marked(words) : "<code>\(words)</code>"
        }
        return html
    }

    private func marked(_ words: String) -> String {
        words.replacing(#/\*\*([^*]+)\*\*/#) { "<strong>\($0.1)</strong>" }
            .replacing(#/\[([^\]]+)\]\(([^)]+)\)/#) { link(String($0.2), String($0.1)) }
    }

    private func link(_ target: String, _ words: String) -> String {
        guard let address = target.hasPrefix("#") ? target : links[target] else { return words }
        return "<a href=\"\(address)\">\(words)</a>"
    }

    private func anchor(_ words: String) -> String {
        words.lowercased().filter { $0.isLetter || $0.isNumber || "-_ ".contains($0) }.replacing(" ", with: "-")
    }
}
