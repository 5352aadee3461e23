import JSONWriting
import Jobs
import Postgres

extension Gate {
    /// What a reader chose about the gate.
    package struct Setting: Hashable, Sendable, JSONForm {
        /// The gate is off everywhere for this reader.
        package var isOff: Bool
        /// A book that is read again is gated by its position.
        package var gatesRereads: Bool

        /// For readers who never chose.
        package static let usual = Setting(isOff: false, gatesRereads: false)

        package func put(into object: JSONObject) {
            object.put("is_off", isOff)
            object.put("has_gated_rereads", gatesRereads)
        }

        /// Whether a gate that was shut under `other` may be open now.
        func opensMore(than other: Setting) -> Bool {
            !other.isOff && (isOff || other.gatesRereads && !gatesRereads)
        }
    }

    /// A book of a library under two settings.
    struct Reopened: Sendable {
        let work: ID<Catalog.Work>
        /// The gate under the one, and under the other.
        let from: Int
        let to: Int
        /// Something stands between the two.
        let isAhead: Bool
    }
}

extension Gate.Store {
    /// What the reader chose.
    package func setting(of reader: ID<Accounts.Account>) async throws -> Gate.Setting {
        try await setting(of: reader, in: services.database)
    }

    func setting(of reader: ID<Accounts.Account>, in queryable: some Queryable) async throws -> Gate.Setting {
        try await queryable.first(Gate.Statements.SettingOf(reader: reader))?.setting ?? .usual
    }

    /// Chooses anew; `nil` stays as it is. Where gates open by it, the reader is told of the books of their library, by
    /// a job: at once, or where the library was looked through within the hour, when that is over. Throws `.forbidden`
    /// (`account_frozen`).
    package func change(
        isOff: Bool? = nil, gatesRereads: Bool? = nil, by reader: ID<Accounts.Account>
    ) async throws -> Gate.Setting {
        try await services.database.transaction { transaction in
            try await Library.Store(services).lock(reader, in: transaction)
            let known = try await transaction.first(Gate.Statements.SettingOf(reader: reader))
            let old = known?.setting ?? .usual
            let new = Gate.Setting(isOff: isOff ?? old.isOff, gatesRereads: gatesRereads ?? old.gatesRereads)
            guard new != old else { return old }
            let now = services.clock.now()
            let isOpening = new.opensMore(than: old)
            let opensAt = known?.openedAt.map { Self.next(after: $0, now: now) } ?? now
            let put = Gate.Statements.PutSetting(
                reader: reader, setting: new, at: now, openedAt: isOpening ? opensAt : known?.openedAt)
            let telling = try Jobs.Enqueue(Gate.UnlockLibrary(reader: reader, was: old), after: opensAt - now)
            try await transaction.batch { batch in
                batch.run(put)
                if isOpening { batch.run(telling) }
            }
            return new
        }
    }
    /// When the library is looked through again; `last`: when it was, or will be.
    private static func next(after last: Timestamp, now: Timestamp) -> Timestamp {
        last > now ? last : max(now, last + Limits.gate.openedAgain)
    }
}
