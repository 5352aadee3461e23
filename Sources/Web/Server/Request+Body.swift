import Community
import HTTPTypes
import Hummingbird
import NIOCore

extension Request {
    /// Gives the body part by part; 413 before more than `limit` bytes are read.
    func eachPart(atMost limit: Int, _ take: (ByteBuffer) async throws -> Void) async throws {
        if let length = headers[.contentLength].flatMap({ Int($0) }), length > limit {
            throw Problem.tooLarge(limit)
        }
        var count = 0
        do {
            for try await part in body {
                count += part.readableBytes
                guard count <= limit else { throw Problem.tooLarge(limit) }
                try await take(part)
            }
        } catch let error as ChannelError {
            throw Problem(.incompleteBody, "\(error)")
        } catch is SlowBody {
            throw Problem(.tooSlow, "Send it faster, or again.")
        }
    }

    /// `Content-Type` without parameters, in lower case.
    var mediaType: String? {
        headers[.contentType]?.split(separator: ";").first.map { $0.lowercased().filter { $0 != " " } }
    }
}
