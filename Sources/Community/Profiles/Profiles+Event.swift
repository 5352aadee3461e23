import EventLog
import Postgres

extension Profiles {
    enum Event: Sendable {
        /// The reader changed who sees what: whoever holds something of these kinds reads it again. Version 1:
        /// `{"reader_id", "kinds"}`. Which levels there were and are is not told. Shown to friends: of each kind they saw something before
        /// or see something now.
        case visibilityChanged(reader: ID<Accounts.Account>, kinds: [Privacy.Kind])

        /// Writes the event into the outbox, as part of `transaction`.
        func append(in transaction: some Queryable, house: House) async throws {
            switch self {
            case .visibilityChanged(let reader, let kinds):
                try await EventLog.append(
                    NewEvent(
                        id: house.ids.make(Event.self).rawValue, kind: "visibility.changed", version: 1,
                        topics: [.reader(reader.rawValue)], owner: reader.rawValue,
                        subjectKind: Feed.Subject.level.rawValue, subject: Int64(Visibility.friends.rawValue),
                        at: house.clock.now(),
                        data: JSON(encoding: Changed(readerID: reader, kinds: kinds.map(\.rawValue)))),
                    in: transaction)
            }
        }

        private struct Changed: Encodable {
            let readerID: ID<Accounts.Account>
            let kinds: [String]

            enum CodingKeys: String, CodingKey {
                case readerID = "reader_id"
                case kinds
            }
        }
    }
}
