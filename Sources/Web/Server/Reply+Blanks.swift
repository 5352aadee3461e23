import Community
import HTTPTypes
import Hummingbird
import JSONWriting
import NIOCore
import Postgres

// What an answer leaves blank until it is sent: this server's address, and on which shelf the caller has each book that
// it names. One look at the caller's shelves serves the whole answer, however many lists it is made of.
extension Reply {
    /// The same reply with its blanks filled in for who calls.
    ///
    /// Its tag is that of the bytes with their blanks, and behind a hyphen that of the shelves where it names books:
    /// `If-Match` asks for the first part alone, so that a book that was moved meanwhile keeps nobody from writing.
    package func filled(for request: Request, in context: SiteContext) async throws -> Reply {
        guard case .bytes(let bytes) = content, isJSON else { return self }
        let blanks = bytes.blanks
        guard !blanks.isEmpty else { return self }
        var reply = self
        let works = blanks.compactMap(\.number)
        var shelves: [Int64: Library.Status] = [:]
        if let reader = context.identity?.account, !works.isEmpty, context.mayRead("library") {
            let named = Set(works).sorted().map(ID<Catalog.Work>.init(rawValue:))
            let found = try await context.community.library.statuses(of: named, for: reader)
            for (work, status) in found { shelves[work.rawValue] = status }
        }
        reply.content = .bytes(bytes.filling(blanks, base: context.base, shelves: shelves))
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
        guard case .bytes(let bytes) = content, isJSON else { return self }
        var reply = self
        reply.content = .bytes(bytes.filling(bytes.blanks, base: base, shelves: [:]))
        return reply
    }

    private var isJSON: Bool { headers[.contentType]?.hasSuffix("json") == true }
}

/// What is left open at a place in the bytes.
private struct Blank {
    let place: Range<Int>
    /// Of the book whose shelf is left open; `nil`: the address of the server is.
    let number: Int64?
}

extension ByteBuffer {
    /// In the order in which they stand.
    fileprivate var blanks: [Blank] {
        withUnsafeReadableBytes { bytes in
            var blanks: [Blank] = []
            var end = 0
            while let start = bytes[end...].firstIndex(where: { $0 <= JSONBlank.number }) {
                end = start + 1
                var number: Int64?
                if bytes[start] == JSONBlank.number, let closing = bytes[end...].firstIndex(of: JSONBlank.number) {
                    number = Int64(String(decoding: bytes[end..<closing], as: UTF8.self))
                    end = closing + 1
                }
                blanks.append(Blank(place: start..<end, number: number))
            }
            return blanks
        }
    }

    fileprivate func filling(_ blanks: [Blank], base: String, shelves: [Int64: Library.Status]) -> ByteBuffer {
        withUnsafeReadableBytes { bytes in
            var filled = ByteBuffer()
            filled.reserveCapacity(bytes.count + base.utf8.count * blanks.count)
            var start = 0
            for blank in blanks {
                filled.writeBytes(UnsafeRawBufferPointer(rebasing: bytes[start..<blank.place.lowerBound]))
                let shelf = blank.number.map { number in shelves[number].map { "\"\($0.rawValue)\"" } ?? "null" }
                filled.writeString(shelf ?? base)
                start = blank.place.upperBound
            }
            filled.writeBytes(UnsafeRawBufferPointer(rebasing: bytes[start...]))
            return filled
        }
    }
}
