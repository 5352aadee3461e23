import Community
import HTTPTypes
import Postgres
import Testing
import Web

extension Given {
    /// A photograph as a row, with files that are none of libvips: for tests that are about who sees it. `scope`: how far
    /// one must be in the book; `position` likewise.
    package func photo(
        of book: ID<Catalog.Work>, by reader: ID<Accounts.Account>, comment: String? = nil, alt: String? = nil,
        words: String? = nil, scope: Int = 0, visibility: Visibility? = nil
    ) async throws -> ID<Photos.Photo> {
        let id = try world.services.ids.make(Photos.Photo.self)
        let picture = try world.services.ids.make(Media.Picture.self)
        let store = world.community.media.facilities.store
        func quoted(_ text: String?) -> String { text.map { "'\($0)'" } ?? "null" }
        var files = ""
        for width in [0] + Media.Kind.photo.widths.dropLast() {
            let bytes = [0xFF, 0xD8] + Array("file \(width) of photo \(id)".utf8)
            let hash = Media.Hash(of: bytes)
            try await store.put(bytes, as: hash)
            files += """
                insert into media_file (hash, size, type, created_at)
                values ('\\x\(hash)', \(bytes.count), 'image/jpeg', now());
                insert into picture_variant (picture_id, width, hash) values (\(picture), \(width), '\\x\(hash)');
                update picture set size = size + \(bytes.count) where id = \(picture);
                """
        }
        try await world.asSuperuser(
            """
            insert into picture (id, kind, owner_id, added_by, alt, width, height, size, created_at)
            values (\(picture), 'photo', \(reader), \(reader), \(quoted(alt)), 1200, 800, 1, now());
            \(files)
            update picture set size = size - 1 where id = \(picture);
            insert into media_tally (account_id, photo_bytes, photos)
            select owner_id, size, 1 from picture where id = \(picture)
                on conflict (account_id) do update
               set photo_bytes = media_tally.photo_bytes + excluded.photo_bytes, photos = media_tally.photos + 1;
            insert into photo (id, reader_id, work_id, picture_id, position, scope, comment, visibility, words_state, words,
                               created_at, changed_at)
            values (\(id), \(reader), \(book), \(picture), \(scope == 0 ? "null" : "\(scope)"), \(scope), \(quoted(comment)),
                    \(visibility.map { "\($0.rawValue)" } ?? "null"), '\(words == nil ? "waiting" : "read")', \(quoted(words)),
                    now(), now())
            """)
        return id
    }
}

extension TestApp {
    /// Sends a photograph of a book, with parameters such as `page=7&comment=Here`.
    package func photograph(
        _ book: ID<Catalog.Work>, _ picture: [UInt8], _ parameters: String = "", type: String = "image/jpeg"
    ) async throws -> TestAnswer {
        try await send(
            .post, "/api/v1/books/\(book)/photos" + (parameters.isEmpty ? "" : "?" + parameters), body: picture,
            headers: [.contentType: type])
    }

    /// The file of a photograph that an answer shows, in one of its widths.
    package func file(_ width: Int, of photo: JSONValue) async throws -> TestAnswer {
        let address = photo["widths"]?["\(width)"]?.text ?? ""
        return try await get(String(address.dropFirst("http://127.0.0.1:8080".count)))
    }
}
