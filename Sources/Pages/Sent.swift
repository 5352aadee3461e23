import Community
import Hummingbird
import NIOCore
import Web

/// What a form sent: its fields in their order, and a file.
struct Sent: Sendable {
    struct File: Sendable {
        let type: String
        let bytes: ArraySlice<UInt8>
    }

    private(set) var fields: [(name: String, value: String)] = []
    private(set) var file: File?
    /// Bytes of all fields.
    private var size = 0
    /// More fields than any form has.
    private static let most = 500

    /// Throws `Problem` (415, 400) for a body that no form sends.
    init(_ request: Request, _ body: ByteBuffer) throws {
        let type = request.headers[.contentType] ?? ""
        let bytes = Array(body.readableBytesView)
        if type.lowercased().hasPrefix("application/x-www-form-urlencoded") || bytes.isEmpty {
            guard let text = String(validating: bytes, as: UTF8.self) else { throw Self.misencoded }
            try read(encoded: text)
        } else if let boundary = Multipart.boundary(of: type) {
            try read(Multipart.parts(of: bytes, boundary: boundary))
        } else {
            throw Problem(.unsupportedMediaType, "Send it by the form of a page.")
        }
    }

    /// For tests and for what is no form.
    init(fields: [(name: String, value: String)]) { self.fields = fields }

    /// The last value of `name`: a button overrules a hidden field before it.
    subscript(_ name: String) -> String? { fields.last { $0.name == name }?.value }

    func all(_ name: String) -> [String] { fields.filter { $0.name == name }.map(\.value) }

    /// What the page's own fields say is no part of the call.
    var said: [(name: String, value: String)] { fields.filter { !$0.name.hasPrefix("_") } }

    private mutating func read(encoded text: String) throws {
        for pair in text.split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = Query.decode(parts[0], plus: true),
                let value = Query.decode(parts.count > 1 ? parts[1] : "", plus: true)
            else { throw Self.misencoded }
            try add(name, value)
        }
    }

    private mutating func read(_ parts: [Multipart.Part]) throws {
        for part in parts {
            if part.isFile {
                // A browser sends an empty one where none was chosen.
                if !part.bytes.isEmpty { file = File(type: part.type ?? "application/octet-stream", bytes: part.bytes) }
            } else {
                guard let value = String(validating: part.bytes, as: UTF8.self) else { throw Self.misencoded }
                try add(part.name, value)
            }
        }
    }

    private static var misencoded: Problem { Problem(.badRequest, "The form is not encoded as browsers do it.") }

    /// Browsers end lines with CR LF.
    private mutating func add(_ name: String, _ value: String) throws {
        size += name.utf8.count + value.utf8.count
        guard size <= Limits.body else { throw Problem(.payloadTooLarge, "The fields of a form are too long.") }
        guard fields.count < Self.most else { throw Problem(.badRequest, "The form has too many fields.") }
        fields.append((name, value.replacing("\r\n", with: "\n")))
    }
}

/// `multipart/form-data` (RFC 7578), as far as browsers send it.
enum Multipart {
    private static let most = 500

    struct Part: Sendable {
        let name: String
        let isFile: Bool
        let type: String?
        let bytes: ArraySlice<UInt8>
    }

    /// `nil` for another media type, and for a boundary that is none (RFC 2046: 1 to 70 bytes).
    static func boundary(of type: String) -> String? {
        guard type.lowercased().hasPrefix("multipart/form-data"), let mark = type.firstRange(of: "boundary=") else {
            return nil
        }
        var boundary = type[mark.upperBound...].prefix { $0 != ";" }
        if boundary.first == "\"", boundary.last == "\"" { boundary = boundary.dropFirst().dropLast() }
        return (1...70).contains(boundary.utf8.count) ? String(boundary) : nil
    }

    /// Throws `Problem` (400) where the body ends before its last boundary: an upload that broke off.
    static func parts(of bytes: [UInt8], boundary: String) throws -> [Part] {
        let mark = Array(("\r\n--" + boundary).utf8)
        var parts: [Part] = []
        // Parts without a name count too: each is searched for.
        var count = 0
        // The first boundary has no line before it.
        guard var at = bytes.starts(with: mark.dropFirst(2)) ? mark.count - 2 : nil else { throw broken }
        while true {
            guard at + 2 <= bytes.count else { throw broken }
            if bytes[at] == UInt8(ascii: "-"), bytes[at + 1] == UInt8(ascii: "-") { return parts }
            guard let head = find(Array("\r\n\r\n".utf8), in: bytes, from: at),
                let end = find(mark, in: bytes, from: head)
            else { throw broken }
            let headers = String(decoding: bytes[at..<head], as: UTF8.self)
            let start = min(head + 4, end)
            if let part = Part(headers, bytes[start..<max(start, end)]) { parts.append(part) }
            count += 1
            guard count <= most else { throw Problem(.badRequest, "The form has too many fields.") }
            at = end + mark.count
        }
    }

    private static var broken: Problem { Problem(.incompleteBody, "The upload broke off.") }

    private static func find(_ wanted: [UInt8], in bytes: [UInt8], from start: Int) -> Int? {
        bytes.withUnsafeBufferPointer { bytes in
            var at = start
            while at + wanted.count <= bytes.count {
                guard let next = bytes[at...].firstIndex(of: wanted[0]), next + wanted.count <= bytes.count else {
                    return nil
                }
                if bytes[next..<next + wanted.count].elementsEqual(wanted) { return next }
                at = next + 1
            }
            return nil
        }
    }
}

extension Multipart.Part {
    /// `nil` for a part without a name.
    fileprivate init?(_ headers: String, _ bytes: ArraySlice<UInt8>) {
        var disposition = "", type: String?
        for line in headers.split(whereSeparator: \.isNewline) {
            let parts = line.split(separator: ":", maxSplits: 1)
            guard parts.count == 2 else { continue }
            switch parts[0].lowercased() {
            case "content-disposition": disposition = String(parts[1])
            case "content-type": type = parts[1].lowercased().filter { $0 != " " }
            default: continue
            }
        }
        guard let name = Self.parameter("name", of: disposition) else { return nil }
        self.init(
            name: name, isFile: Self.parameter("filename", of: disposition) != nil, type: type, bytes: bytes)
    }

    private static func parameter(_ name: String, of header: String) -> String? {
        guard let mark = header.firstRange(of: "; \(name)=\"") else { return nil }
        return String(header[mark.upperBound...].prefix { $0 != "\"" }).replacing("%22", with: "\"")
    }
}
