import Community
import HTTPTypes
import Hummingbird
import JSONWriting
import NIOCore
import Postgres

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

// What an answer leaves blank until it is sent: this server's address, and on which shelf the caller has each book that
// it names. One look at the caller's shelves serves the whole answer, however many lists it is made of.
extension Reply {
    /// The same reply with its blanks filled in for who calls.
    ///
    /// Its tag is that of the bytes with their blanks, and behind a hyphen that of the shelves where it names books:
    /// `If-Match` asks for the first part alone, so that a book that was moved meanwhile keeps nobody from writing.
    func filled(for request: Request, in context: SiteContext) async throws -> Reply {
        guard case .bytes(let bytes) = content, isJSON, bytes.hasBlanks else { return self }
        var reply = self
        let works = bytes.numbersOfBlanks
        var shelves: [Int64: Library.Status] = [:]
        if let reader = context.identity?.account, !works.isEmpty, context.mayRead("library") {
            let named = Set(works).sorted().map(ID<Catalog.Work>.init(rawValue:))
            let found = try await context.community.library.statuses(of: named, for: reader)
            for (work, status) in found { shelves[work.rawValue] = status }
        }
        reply.content = .bytes(bytes.filled(base: context.base, shelves: shelves))
        let isRead = request.method == .get || request.method == .head
        if isRead, reply.headers[.eTag] == nil, status == .ok {
            let known = works.map { shelves[$0]?.rawValue ?? "" }.joined(separator: ",")
            let isShelved = known.contains { $0 != "," }
            reply.headers[.eTag] = EntityTag.of(bytes, beside: isShelved ? known : nil)
        }
        return reply
    }

    /// The same reply where nobody's shelves can be looked at.
    func emptied(base: String) -> Reply {
        guard case .bytes(let bytes) = content, isJSON, bytes.hasBlanks else { return self }
        var reply = self
        reply.content = .bytes(bytes.filled(base: base, shelves: [:]))
        return reply
    }

    private var isJSON: Bool { headers[.contentType]?.hasSuffix("json") == true }
}

extension ByteBuffer {
    fileprivate var hasBlanks: Bool {
        withUnsafeReadableBytes { bytes in
            guard let start = bytes.baseAddress else { return false }
            return memchr(start, Int32(JSONBlank.address), bytes.count) != nil
                || memchr(start, Int32(JSONBlank.number), bytes.count) != nil
        }
    }

    /// In the order in which they stand, each as often as it does.
    fileprivate var numbersOfBlanks: [Int64] {
        readableBytesView.split(separator: JSONBlank.number, omittingEmptySubsequences: false).enumerated()
            .compactMap { $0.offset % 2 == 1 ? Int64(String(decoding: $0.element, as: UTF8.self)) : nil }
    }

    fileprivate func filled(base: String, shelves: [Int64: Library.Status]) -> ByteBuffer {
        var filled = ByteBuffer()
        filled.reserveCapacity(readableBytes + base.utf8.count * 16)
        let parts = readableBytesView.split(separator: JSONBlank.number, omittingEmptySubsequences: false)
        for (index, part) in parts.enumerated() {
            if index % 2 == 1 {
                let shelf = Int64(String(decoding: part, as: UTF8.self)).flatMap { shelves[$0] }
                filled.writeString(shelf.map { "\"\($0.rawValue)\"" } ?? "null")
                continue
            }
            let texts = part.split(separator: JSONBlank.address, omittingEmptySubsequences: false)
            for (place, text) in texts.enumerated() {
                if place > 0 { filled.writeString(base) }
                filled.writeBytes(text)
            }
        }
        return filled
    }
}
