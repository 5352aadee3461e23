import Postgres

extension Photos {
    /// Where in its book a photograph belongs.
    struct Place: Hashable, Sendable {
        var page: Int?
        /// Ten-thousandths.
        var position: Int?
        var scope: Gate.Scope
    }

    /// What a place is decided on.
    struct Ground: Sendable {
        /// The one that the reader has in hand.
        let edition: ID<Catalog.Edition>?
        /// Of the reader's copy; `nil` where that is not known.
        let pages: Int?
        /// The level of the reader's photographs that have none of their own.
        let usual: Visibility

        /// Where a page is, as far as that is known. Throws `.invalid` for one that the copy does not have.
        func position(of page: Int?, at pointer: String) throws(Failure) -> Int? {
            guard let page, let pages else { return nil }
            guard page <= pages else { throw .invalid(pointer, .outOfRange, "must be 0 to \(pages)") }
            return Gate.end * page / pages
        }
    }

    /// A reader's own photograph, as a change finds it.
    struct Own: Equatable, Sendable {
        let work: ID<Catalog.Work>
        let edition: ID<Catalog.Edition>?
        var picture: ID<Media.Picture>
        var place: Place
        var comment: String?
        var alt: String?
        /// That it has, or comes back with.
        var visibility: Visibility?
        let isHidden: Bool
        var edit: Media.Edit
        var words: Words
        let version: Int
        /// The file of its master.
        let master: Media.Hash

        var former: Media.Former { Media.Former(picture: picture, isEvidence: isHidden) }

        /// All that its reader finds it by.
        var plain: String { Self.plain(comment, alt, words.text) }

        static func plain(_ comment: String?, _ alt: String?, _ words: String?) -> String {
            [comment, alt, words].compactMap(\.self).joined(separator: "\n")
        }

        mutating func apply(_ change: Change) {
            comment = change.comment.applied(to: comment)
            alt = change.alt.applied(to: alt)
            visibility = change.visibility.applied(to: visibility)
            edit = change.applied(to: edit)
            guard case .set(let text) = change.words else { return }
            words = text.map { Words(state: .corrected, text: $0, confidence: nil) } ?? .waiting
        }
    }
}

extension Photos.Words {
    static let waiting = Photos.Words(state: .waiting, text: nil, confidence: nil)
    static let unreadable = Photos.Words(state: .unreadable, text: nil, confidence: nil)
    static let off = Photos.Words(state: .off, text: nil, confidence: nil)
}

extension Photos.Store {
    /// Where a photograph belongs whose reader says a page or a position, or neither. `root` stands before the names in
    /// pointers. The account is locked.
    func place(
        page: Int?, position said: Int?, on ground: Photos.Ground, in work: ID<Catalog.Work>,
        of reader: ID<Accounts.Account>, root: String, _ queryable: some Queryable
    ) async throws -> Photos.Place {
        let position = try said ?? ground.position(of: page, at: root + "page")
        let usual = try await Gate.Store(services).usualScope(of: reader, in: work, in: queryable)
        guard let position, usual.reason != .nonfiction else {
            return Photos.Place(page: page, position: position, scope: usual.scope)
        }
        return Photos.Place(page: page, position: position, scope: Gate.Scope(position: position) ?? .finished)
    }
}
