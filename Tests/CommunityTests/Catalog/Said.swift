import Postgres
import TestSupport

@testable import Community

/// What a reader says about a book, one way for each table that keeps it.
enum Said: String, CaseIterable, Sendable {
    case review, shelf, list, favourite, recommendation, bookmark, position, checkout, thread, boardFollow, follow
    case reveal, group, photo

    /// Who comes of age first: `world.clock` must stand days after the account was made.
    func say(of work: ID<Catalog.Work>, by reader: Signed, in world: World, rating: Double = 4) async throws {
        let community = world.community
        switch self {
        case .review: _ = try await world.given.review(by: reader.id, of: work, rating: rating, body: "Well")
        case .shelf: try await world.given.shelved(work, rating == 4 ? .want : .reading, by: reader.id)
        case .list:
            let list = try await community.library.make(Library.NewList(title: "Mine"), by: reader.identity)
            _ = try await community.library.put(work, on: list.id, at: .keep, by: reader.identity)
        case .favourite: _ = try await community.praise.put(.favourite, on: work, by: reader.id)
        case .recommendation: _ = try await community.praise.put(.recommendation, on: work, by: reader.id)
        case .bookmark: _ = try await community.places.mark(.part(10), label: "Here", in: work, by: reader.id)
        case .position: try await world.given.position(.part(10), in: work, by: reader.id)
        case .checkout: _ = try await community.lending.checkOut(work, by: reader.id)
        case .thread: _ = try await community.boards.open(.init(title: "Well?", body: "Well."), on: work, by: reader.id)
        case .group: _ = try await community.groups.make(.init(name: "Well", book: work), by: reader.id)
        case .boardFollow: try await community.boards.watch(boardOf: work, as: .followed, by: reader.id)
        case .reveal: try await community.gate.reveal(.book(work), by: reader.id)
        case .photo:
            let files = try ([Media.Kind.master] + Media.Kind.photo.widths).map { width in
                let bytes = [0xFF, 0xD8] + Array("\(width) of \(try world.services.ids.make(Photos.Photo.self))".utf8)
                return (variant: Media.Variant(width: width, hash: Media.Hash(of: bytes)), bytes: bytes)
            }
            let prepared = Media.Prepared(kind: .photo, width: 1200, height: 800, files: files)
            _ = try await community.photos.add(Photos.NewPhoto(), prepared, to: work, by: reader.identity)
            try await community.media.settle(prepared)
        case .follow: try await community.follows.put(.book(work), by: reader.id)
        }
    }
}
