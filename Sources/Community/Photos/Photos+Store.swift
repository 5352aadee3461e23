import Postgres

extension Photos {
    /// What readers do with photographs. How they are read stands in `Photos+Store+Read.swift`.
    package struct Store: Sendable {
        let services: Services
        let media: Media.Store
        /// `nil`: words in photographs are not read.
        let recognizer: Recognizer?

        init(_ services: Services, media: Media.Store, recognizer: Recognizer?) {
            self.services = services
            self.media = media
            self.recognizer = recognizer
        }

        private var library: Library.Store { Library.Store(services) }

        /// Keeps a photograph of a book. `prepared`: of the kind `.photo`, by the edit that `new` says; follow with
        /// `media.settle`.
        ///
        /// One transaction: picture, files' rows, quota, photograph, its words for search. Throws `.invalid` with
        /// pointers of parameters (`?page`), `.notFound` for the work, `.forbidden` (`account_frozen`, and
        /// `email_unverified` for what more than friends see), `Media.Refusal.quota`.
        package func add(
            _ new: NewPhoto, _ prepared: Media.Prepared, to work: ID<Catalog.Work>, by identity: Accounts.Identity
        ) async throws -> Photo {
            try Photos.check(comment: new.comment, alt: new.alt, root: "?")
            let reader = identity.account
            return try await services.database.transaction { transaction in
                try await library.lock(reader, holding: work)
                guard let book = try await transaction.first(Catalog.HoldBook(work: work)) else {
                    throw Failure.notFound("book \(work)")
                }
                let (ground, place) = try await basis(of: new, in: book, by: identity, transaction)
                let picture = try await media.addPhoto(prepared, alt: new.alt, of: reader, in: transaction)
                let id: ID<Photo> = try services.ids.make()
                try await transaction.run(
                    Statements.Insert(
                        new, id: id, by: reader, of: book, edition: ground.edition, picture: picture, at: place,
                        now: services.clock.now()))
                let plain = Own.plain(new.comment, new.alt, nil)
                try await transaction.run(OwnWords.Put(.photo, id, of: reader, in: book, plain: plain))
                try await readWords(of: id, in: transaction)
                return try await photo(id, of: reader, in: transaction)
            }
        }

        /// Throws what `add` would throw as things are: before a photograph is converted.
        package func check(
            _ new: NewPhoto, in work: ID<Catalog.Work>, by identity: Accounts.Identity
        ) async throws {
            try Photos.check(comment: new.comment, alt: new.alt, root: "?")
            guard let book = try await services.database.first(Catalog.HoldBook(work: work)) else {
                throw Failure.notFound("book \(work)")
            }
            _ = try await basis(of: new, in: book, by: identity, services.database)
        }

        private func basis(
            of new: NewPhoto, in book: ID<Catalog.Work>, by identity: Accounts.Identity, _ queryable: some Queryable
        ) async throws -> (ground: Ground, place: Place) {
            let reader = identity.account
            let ground = try await queryable.one(Statements.GroundOf(reader: reader, work: book, edition: nil))
            try identity.mayShow(new.visibility ?? ground.usual)
            let place = try await place(
                page: new.page, position: new.position, on: ground, in: book, of: reader, root: "?", queryable)
            return (ground, place)
        }

        /// Throws `.notFound` for a photograph that is not the reader's own, `.forbidden` (`account_frozen`).
        package func check(_ id: ID<Photo>, by identity: Accounts.Identity) async throws {
            try identity.mayWrite()
            _ = try await own(id, of: identity.account, in: services.database)
        }

        /// Makes ready what a change has a reader's own photograph show, from its master; `nil` where that stays as it
        /// is. Slow, and outside every transaction: follow it with `change`, and with `media.settle`.
        ///
        /// Throws `.notFound`, `.forbidden` (`account_frozen`), `Media.Refusal`, `Failure.busy`, `.limited`.
        package func edited(
            _ id: ID<Photo>, by change: Change, _ identity: Accounts.Identity
        ) async throws -> Edited? {
            try identity.mayWrite()
            let own = try await own(id, of: identity.account, in: services.database)
            let edit = change.applied(to: own.edit)
            guard edit != own.edit else { return nil }
            let prepared = try await media.prepare(edit, of: own.master, for: identity.account)
            return Edited(prepared: prepared, edit: edit, picture: own.picture)
        }

        /// Changes a reader's own photograph; `edited`: what it shows from then on.
        ///
        /// Throws as `add`, with pointers into a body (`/page`), `.notFound`, `.preconditionFailed` also where the image
        /// or its edit became another meanwhile.
        package func change(
            _ id: ID<Photo>, _ change: Change, edited: Edited? = nil, by identity: Accounts.Identity,
            ifVersion version: Precondition = .none
        ) async throws -> Photo {
            try Photos.check(
                comment: change.comment.value, alt: change.alt.value, words: change.words.value, root: "/")
            return try await write(id, by: identity, ifVersion: version) { own, transaction in
                let before = own
                try await apply(change.cleaned, to: &own, by: identity, in: transaction)
                guard own.edit != before.edit else { return nil }
                // What stands on its side has no words, and what was cut off has none that are shown.
                if own.words.state != .corrected { own.words = .waiting }
                guard let edited, edited.picture == before.picture, edited.edit == own.edit else {
                    throw Failure.preconditionFailed("it has changed since you read it")
                }
                return edited.prepared
            }
        }

        /// All but the image.
        private func apply(
            _ change: Change, to own: inout Own, by identity: Accounts.Identity, in transaction: Transaction
        ) async throws {
            let reader = identity.account
            let asked = Statements.GroundOf(reader: reader, work: own.work, edition: own.edition)
            let ground = try await transaction.one(asked)
            if change.movesPlace {
                let page = change.page.applied(to: own.place.page)
                // A page that is said anew says where it is, unless a percentage comes with it.
                let said = change.position.value
                own.place = try await place(
                    page: page, position: said, on: ground, in: own.work, of: reader, root: "/", transaction)
            }
            own.apply(change)
            try identity.mayShow(own.visibility ?? ground.usual)
        }

        /// Puts another image in the place of a photograph's: what is said of it stays. Its words are read anew, unless
        /// the reader corrected them. `prepared` as in `add`.
        ///
        /// Throws `.notFound`, `.forbidden` (`account_frozen`), `.preconditionFailed`, `Media.Refusal.quota`.
        package func replace(
            _ id: ID<Photo>, with prepared: Media.Prepared, edit: Media.Edit, by identity: Accounts.Identity,
            ifVersion version: Precondition = .none
        ) async throws -> Photo {
            try await write(id, by: identity, ifVersion: version) { own, _ in
                own.edit = edit
                if own.words.state != .corrected { own.words = .waiting }
                return prepared
            }
        }

        /// Changes a photograph as `body` says, which gives the image that it shows from then on, where that is another.
        private func write(
            _ id: ID<Photo>, by identity: Accounts.Identity, ifVersion version: Precondition,
            _ body: @Sendable (inout Own, Transaction) async throws -> Media.Prepared?
        ) async throws -> Photo {
            let reader = identity.account
            return try await services.database.transaction { transaction in
                try await library.lock(reader, in: transaction)
                try await transaction.run(Statements.Lock(photo: id, reader: reader))
                let before = try await own(id, of: reader, in: transaction)
                try version.check(before.version)
                var own = before
                let prepared = try await body(&own, transaction)
                guard own != before || prepared != nil else {
                    return try await photo(id, of: reader, in: transaction)
                }
                let now = services.clock.now()
                if let prepared {
                    let changed = own
                    try await media.replacePhoto(
                        before.former, with: prepared, alt: own.alt, of: reader, in: transaction
                    ) {
                        var changed = changed
                        changed.picture = $0
                        try await transaction.run(Statements.Update(id, to: changed, at: now))
                    }
                } else {
                    try await transaction.run(Statements.Update(id, to: own, at: now))
                }
                if own.place.scope > before.place.scope {
                    try await transaction.run(Statements.RaiseNotes(photo: id, scope: own.place.scope))
                }
                if own.plain != before.plain {
                    try await transaction.run(OwnWords.Put(.photo, id, of: reader, in: own.work, plain: own.plain))
                }
                let isUnread = own.words.state == .waiting && (prepared != nil || before.words.state != .waiting)
                if isUnread { try await readWords(of: id, in: transaction) }
                return try await photo(id, of: reader, in: transaction)
            }
        }

        private func own(
            _ id: ID<Photo>, of reader: ID<Accounts.Account>, in queryable: some Queryable
        ) async throws -> Own {
            guard let own = try await queryable.first(Statements.Own(photo: id, reader: reader)) else {
                throw Failure.notFound("photo \(id)")
            }
            return own
        }

        /// The reader's own, whole.
        func photo(
            _ id: ID<Photo>, of reader: ID<Accounts.Account>, in queryable: some Queryable
        ) async throws -> Photo {
            let asked = Statements.One(viewer: .reader(reader), photo: id)
            guard case .whole(let photo)? = try await queryable.first(asked) else {
                throw Failure.notFound("photo \(id)")
            }
            return photo
        }
    }
}
