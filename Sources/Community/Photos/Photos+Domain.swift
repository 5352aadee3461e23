import Postgres

extension Photos: Domain {
    package static let things: [any ThingKind.Type] = [Photo.self]
    package static var eventKinds: [String] { EventKind.names }
    package static let worksOfReaders = [WorkColumn("photo")]

    /// Photographs go over to another work, in the transaction that merges them. `Notebook` sees to the words that they
    /// are found by.
    package static let workMerge: [MergeStep<Catalog.Work>] = [
        MergeStep("move_photos", "update photo set work_id = \(\.into) where work_id = \(\.from)")
    ]

    package static let editionMerge: [MergeStep<Catalog.Edition>] = [
        MergeStep("move_edition", "update photo set edition_id = \(\.into) where edition_id = \(\.from)")
    ]

    /// Deletes the reader's photographs; `Media` takes their pictures.
    package static func accountEnds(
        _ account: ID<Accounts.Account>, of services: Services, in transaction: Transaction
    ) async throws {
        try await transaction.run(Statements.RemoveAll(reader: account))
    }

    /// Whose the rows of each table are.
    package static let personalTables: [PersonalTable] = [
        // Photographs, with the words in them.
        .init("photo", work: "t.work_id")
    ]

    /// What `commonplace check` looks at.
    package static let recounts: [Recount] = [
        Recount(
            "pictures", "Each picture of a photograph that is no evidence is shown by one, its reader's.",
            """
            select 'picture ' || picture.id || ' is shown by no photograph of its owner'
              from picture
              left join photo on photo.picture_id = picture.id and photo.reader_id = picture.owner_id
             where picture.kind = 'photo'
               and picture.hidden_at is null
               and photo.id is null
            """),
        Recount(
            "masters", "Each photograph has its master.",
            """
            select 'photo ' || photo.id || ' has no master'
              from photo
              left join picture_variant variant on variant.picture_id = photo.picture_id and variant.width = 0
             where variant.picture_id is null
            """),
    ]
}

extension Photos.Photo: ThingKind {
    package static let facts = ThingFacts(
        name: "photo", table: "photo",
        joins: """
            join work on work.id = photo.work_id
              join picture on picture.id = photo.picture_id
              left join privacy on privacy.reader_id = photo.reader_id
            """,
        author: "photo.reader_id", title: "coalesce(work.title, '')",
        said: """
            jsonb_build_object('comment', photo.comment, 'alt', picture.alt,
                               'path', '/api/v1/photos/' || photo.id || '/1280')
            """,
        isHidden: "(photo.hidden_at is not null)", isHeld: true)

    /// With the owner's `privacy` in scope.
    package static func isSeen<S: ForViewer>() -> SQL<S> {
        Visibility.predicate(viewer: .viewer, owner: "photo.reader_id", level: SQL(Photos.Statements.level))
    }
}

extension Photos.Photo: GatedKind {
    package static func opens<S: ForViewer>() -> SQL<S> {
        """
        (photo.scope = 0 or photo.reader_id = \(.viewer)
                or photo.scope <= \(Gate.level(viewer: .viewer, work: "photo.work_id")))
        """
    }
    package static var toldScope: Fragment { "photo.scope" }
}

extension Photos.Photo: Utterance {
    package static let saying = SayingFacts(
        text: "concat_ws(chr(10), photo.comment, picture.alt)",
        isOpen: """
            coalesce(\(Photos.Statements.wanted), privacy.photos, \(Privacy.Kind.photos.usual.rawValue)) >= \(Visibility.members.rawValue)
            """)
}

extension Photos.Photo: Deletable {
    package static func setHidden(
        _ isHidden: Bool, _ id: ID<Self>, of services: Services, in transaction: Transaction
    ) async throws -> Bool {
        let change = Photos.Statements.Hide(photo: id, at: isHidden ? services.clock.now() : nil)
        return try await transaction.run(change) > 0
    }

    package static func erase(_ id: ID<Self>, of services: Services, in transaction: Transaction) async throws {
        guard let owner = try await transaction.first(Photos.Statements.OwnerOf(photo: id)) else { return }
        let former = Media.Former(picture: owner.picture, isEvidence: false)
        try await Photos.erase(id, former, of: owner.reader, at: services.clock.now(), in: transaction)
    }
}

extension Thing {
    package static func photo(_ id: ID<Photos.Photo>) -> Thing { Thing(id) }
}

extension Community {
    package var photos: Photos.Store { Photos.Store(services, media: media, recognizer: recognizer) }
}
