import Community
import HTTPTypes
import Testing
import Web

extension Given {
    /// The first edition of a book.
    package func firstEdition(of book: ID<Catalog.Work>) async throws -> String {
        let rows = try await world.asSuperuser("select id from edition where work_id = \(book) order by id limit 1")
        return rows.first?.first.flatMap(\.self) ?? ""
    }
}

extension TestApp {
    /// Sends an e-book of an edition.
    package func keepEbook(
        _ bytes: [UInt8], at edition: String, _ parameters: String = "rights=public_domain",
        type: String = "application/epub+zip", headers: HTTPFields = [:]
    ) async throws -> TestAnswer {
        var headers = headers
        headers[.contentType] = type
        return try await send(.put, "/api/v1/editions/\(edition)/ebook?\(parameters)", body: bytes, headers: headers)
    }

    /// The path of an address that an answer gives.
    package func path(_ address: JSONValue?) -> String {
        String((address?.text ?? "").dropFirst("http://127.0.0.1:8080".count))
    }
}
