import Postgres

/// Who may see something: each level includes those before it.
package enum Visibility: Int16, Codable, Sendable, CaseIterable, Comparable {
    /// The owner alone.
    case `private` = 0
    /// The owner and the owner's friends.
    case friends = 1
    /// Everyone who is signed in.
    case members = 2
    /// Everyone, signed in or not (on a server with `COMMONPLACE_ACCESS=members`: everyone signed in).
    case `public` = 3

    package static func < (left: Visibility, right: Visibility) -> Bool { left.rawValue < right.rawValue }
}

/// Who is looking. Bound to a statement's viewer parameter as a `bigint`: a reader's id, 0 for anonymous, −1 for an
/// outsider.
package enum Viewer: Hashable, Sendable {
    /// Not signed in, on a server that is open to everyone.
    case anonymous
    /// Not signed in, on a server for members only: sees nothing that has an owner.
    case outsider
    case reader(ID<Accounts.Account>)

    package var reader: ID<Accounts.Account>? {
        if case .reader(let id) = self { id } else { nil }
    }
}

extension Viewer: PostgresValue {
    package static var postgresType: PostgresType { .int8 }

    package func encode(into bytes: inout [UInt8]) {
        switch self {
        case .anonymous: Int64(0).encode(into: &bytes)
        case .outsider: Int64(-1).encode(into: &bytes)
        case .reader(let id): id.encode(into: &bytes)
        }
    }

    package static func decode(_ bytes: UnsafeRawBufferPointer, type: PostgresType) throws -> Viewer {
        switch try Int64.decode(bytes, type: type) {
        case 0: .anonymous
        case ..<0: .outsider
        case let id: .reader(ID(rawValue: id))
        }
    }
}

extension Visibility {
    /// **The** visibility predicate: the SQL condition under which `viewer` may see a thing that belongs to `owner` at
    /// `level`.
    ///
    /// Every read, count, search, notification and push of something with an owner has it in its `where`. It holds when
    /// the owner is the viewer; or when there is no block in either direction and the lower of the thing's level and
    /// the owner's reach (`account.reach`: public for active and frozen accounts, friends for limited ones, −1 for
    /// suspended and deleted ones) includes the viewer. It is text and not an SQL function because Postgres does not
    /// inline functions that hold sub-selects, and a call for each row costs more than the row.
    ///
    /// The arguments are SQL expressions written by us (a column, or the parameter that is the viewer), never input.
    package static func predicate<S>(viewer: SQL<S>, owner: SQL<S>, level: SQL<S>) -> SQL<S> {
        """
        (\(owner) = \(viewer) or (
                coalesce((select case least(seen_owner.reach, \(level))
                                      when 3 then \(viewer) >= 0
                                      when 2 then \(viewer) > 0
                                      when 1 then \(viewer) > 0
                                                  and exists (select 1 from friendship seen_friend
                                                               where seen_friend.reader_id = \(viewer)
                                                                 and seen_friend.friend_id = \(owner))
                                      else false end
                            from account seen_owner
                           where seen_owner.id = \(owner)), false)
                and not exists (select 1 from block seen_block
                                 where seen_block.blocker_id = \(owner) and seen_block.blocked_id = \(viewer))
                and not exists (select 1 from block seen_block
                                 where seen_block.blocker_id = \(viewer) and seen_block.blocked_id = \(owner))))
        """
    }
}

extension Visibility: PostgresValue {
    package static var postgresType: PostgresType { .int2 }
    package func encode(into bytes: inout [UInt8]) { rawValue.encode(into: &bytes) }
    package static func decode(_ bytes: UnsafeRawBufferPointer, type: PostgresType) throws -> Visibility {
        guard let level = Visibility(rawValue: try Int16.decode(bytes, type: type)) else {
            throw PostgresError(.decoding, message: "no such visibility level")
        }
        return level
    }
}

extension Visibility: CustomStringConvertible {
    /// The name used in JSON, settings and on the command line.
    package var description: String {
        switch self {
        case .private: "private"
        case .friends: "friends"
        case .members: "members"
        case .public: "public"
        }
    }

    package init?(name: some StringProtocol) {
        guard let level = Self.allCases.first(where: { $0.description == name }) else { return nil }
        self = level
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let level = Visibility(name: try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "not a visibility level")
        }
        self = level
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
