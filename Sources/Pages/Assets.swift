import Community
import HTTPTypes
import Hummingbird
import JSONWriting
import NIOCore
import Web

/// The files that pages bring along: style, scripts and signs. All have one version in their addresses, so that browsers keep them for a year.
struct Assets: Sendable {
    private struct File: Sendable {
        let type: String
        let bytes: ByteBuffer
    }

    private let files: [String: File]
    let version: String

    init(_ files: [(name: String, bytes: [UInt8])] = Files.assets) {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in files.lazy.flatMap(\.bytes) { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
        version = String(hash, radix: 36)
        self.files = files.reduce(into: [:]) { kept, file in
            let bytes = file.name.hasSuffix(".js") ? Self.bare(file.bytes) : file.bytes
            kept[file.name] = File(type: Self.type(of: file.name), bytes: ByteBuffer(bytes: bytes))
        }
    }

    func address(of name: String) -> String { "/assets/\(version)/\(name)" }

    /// `nil` where there is no such file.
    func reply(_ name: String, isCurrent: Bool) -> Reply? {
        guard let file = files[name] else { return nil }
        // Under a former version stands what is there now, which nobody is to keep.
        return Reply(
            status: .ok,
            headers: [
                .contentType: file.type,
                .cacheControl: isCurrent ? "public, max-age=31536000, immutable" : "public, max-age=60",
            ], content: .bytes(file.bytes))
    }

    /// A script without its indentation and the lines that only explain it: these are for those who read it here.
    private static func bare(_ script: [UInt8]) -> [UInt8] {
        let lines = script.split(separator: UInt8(ascii: "\n")).map { $0.drop { $0 == UInt8(ascii: " ") } }
        let code = lines.filter { !$0.starts(with: "//".utf8) && !$0.starts(with: "/**".utf8) }
        return Array(code.joined(separator: [UInt8(ascii: "\n")]))
    }

    private static func type(of name: String) -> String {
        switch name.split(separator: ".").last {
        case "css": "text/css; charset=utf-8"
        case "js": "text/javascript; charset=utf-8"
        case "svg": "image/svg+xml"
        case "png": "image/png"
        default: "application/octet-stream"
        }
    }
}

extension Pages {
    func addAssets(to table: inout RouteTable) {
        table.page("/assets/{version}/{file}", summary: "A file of the pages.", type: "text/css", face: face) {
            _, context in
            let isCurrent = context.parameters["version"].map { $0 == assets.version } ?? false
            guard let reply = assets.reply(try context.text("file"), isCurrent: isCurrent) else {
                throw Failure.notFound("file")
            }
            return reply
        }
        table.page("/favicon.ico", summary: "The sign of the site.", type: "image/svg+xml", face: face) { _, _ in
            guard let reply = assets.reply("icon.svg", isCurrent: false) else { throw Failure.notFound("file") }
            return reply
        }
        table.page(
            "/manifest.webmanifest", summary: "What a telephone needs to install the site.",
            type: "application/manifest+json",
            face: face
        ) { _, _ in
            let bytes = try JSONWriter.object { object in
                object.put("name", site.settings.name)
                object.put("short_name", site.settings.name)
                object.put("start_url", "/home")
                object.put("display", "standalone")
                object.put("background_color", "#fffdf8")
                object.put("theme_color", "#fffdf8")
                object.put("icons", [Icon(address: assets.address(of: "icon.svg"))])
            }
            return Reply(
                status: .ok, headers: [.contentType: "application/manifest+json"],
                content: .bytes(ByteBuffer(bytes: bytes)))
        }
    }

    private struct Icon: JSONForm {
        let address: String

        func put(into object: JSONObject) {
            object.put("src", address)
            object.put("sizes", "any")
            object.put("type", "image/svg+xml")
            object.put("purpose", "any")
        }
    }
}
