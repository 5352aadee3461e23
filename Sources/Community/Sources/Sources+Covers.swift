import Logging
import Postgres

extension Sources.Store {
    /// Fetches the cover of a record, converts it and makes it the cover of its edition, where that has none. Once:
    /// what was fetched, refused or not there is not asked for again until the record names another.
    ///
    /// Throws `Trouble` where the catalogue gave no answer and `Failure.busy`, `Media.Refusal.noRoom` where this server
    /// cannot take it now, so that it is tried again.
    package func fetchCover(of key: String) async throws {
        guard media.isOn, let wanted = try await services.database.first(Sources.WantedCover(key: key)),
            let lane = coverLanes[wanted.source]
        else { return }
        guard !wanted.isCovered, let prepared = try await prepared(wanted, from: lane) else {
            try await services.database.run(done(key, wanted))
            return
        }
        try await services.database.transaction { transaction in
            try await Self.unlessGone { try await media.fillCover(prepared, of: wanted.edition, in: transaction) }
            try await transaction.run(done(key, wanted))
        }
        try await media.settle(prepared)
    }

    /// `nil` where there is no such cover, or none that is a picture.
    private func prepared(_ wanted: Sources.WantedCover.Output, from lane: Sources.Lane) async throws -> Media.Prepared?
    {
        do {
            let bytes = try await lane.call(found: { $0 != nil }) { try await $0.cover(wanted.cover) }
            guard let bytes else { return nil }
            return try await media.prepare(bytes, type: "image/any", as: .cover)
        } catch let trouble as Sources.Trouble where trouble.isLasting {
            return nil
        } catch let refusal as Media.Refusal where refusal != .off && refusal != .noRoom {
            services.logger.notice(
                "a cover of another catalogue is no picture",
                metadata: ["source": "\(wanted.source.rawValue)", "refusal": "\(refusal)"])
            return nil
        }
    }

    private func done(_ key: String, _ wanted: Sources.WantedCover.Output) -> Sources.CoverDone {
        Sources.CoverDone(key: key, cover: wanted.cover, at: services.clock.now())
    }

    /// The edition may have gone while its cover was fetched.
    private static func unlessGone(_ body: () async throws -> Void) async throws {
        do { try await body() } catch Failure.notFound {}
    }
}

extension Sources.Trouble {
    /// What another attempt would not change.
    var isLasting: Bool {
        switch self {
        case .forbiddenHost, .privateAddress, .tooLarge, .redirect, .unreadable: true
        case .unresolved, .unreachable, .timedOut, .status, .limited, .broken, .resting: false
        }
    }
}
