import Jobs
import Postgres

extension Gate {
    /// What a reader chose about the gate.
    package struct Setting: Hashable, Sendable, Encodable {
        /// The gate is off everywhere for this reader.
        package var isOff: Bool
        /// A book that is read again is gated by its position.
        package var gatesRereads: Bool

        /// For whoever never chose.
        package static let usual = Setting(isOff: false, gatesRereads: false)

        package init(isOff: Bool, gatesRereads: Bool) {
            self.isOff = isOff
            self.gatesRereads = gatesRereads
        }

        /// Whether a gate that was shut under `other` may be open now.
        func opensMore(than other: Setting) -> Bool {
            !other.isOff && (isOff || other.gatesRereads && !gatesRereads)
        }

        private enum CodingKeys: String, CodingKey {
            case isOff = "off"
            case gatesRereads = "gates_rereads"
        }
    }
}

extension Gate.Store {
    /// What the reader chose.
    package func setting(of reader: ID<Accounts.Account>) async throws -> Gate.Setting {
        try await setting(of: reader, in: house.database)
    }

    private func setting(
        of reader: ID<Accounts.Account>, in queryable: some Queryable
    ) async throws -> Gate.Setting {
        try await queryable.first(Gate.Statements.SettingOf(reader: reader)) ?? .usual
    }

    /// Chooses anew; `nil` stays as it is. Where gates open by it, the books of the library of which something was ahead are told of, those
    /// that were moved last first, at most 200. Throws `.forbidden` (`account_frozen`).
    package func change(
        isOff: Bool? = nil, gatesRereads: Bool? = nil, by reader: ID<Accounts.Account>
    ) async throws -> Gate.Setting {
        try await house.database.transaction { transaction in
            try await Library.Store(house).lock(reader, in: transaction)
            let old = try await setting(of: reader, in: transaction)
            let new = Gate.Setting(isOff: isOff ?? old.isOff, gatesRereads: gatesRereads ?? old.gatesRereads)
            guard new != old else { return old }
            let ahead =
                new.opensMore(than: old)
                ? try await transaction.all(
                    Gate.Statements.AheadInLibrary(reader: reader, limit: Limits.Gate.openedBooks)) : []
            let told = try ahead.map { try Gate.unlocking(of: $0.work, for: reader, from: $0.gate) }
            try await transaction.batch { batch in
                batch.run(Gate.Statements.PutSetting(reader: reader, setting: new, at: house.clock.now()))
                for statement in told { batch.run(statement) }
            }
            return new
        }
    }
}
