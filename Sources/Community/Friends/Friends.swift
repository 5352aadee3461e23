import JSONWriting
import Postgres

/// Friendships, the requests that lead to them, blocks and mutes, and whom a reader may want to know.
///
/// **Asking.** A request goes to a reader whom the sender may see. Asking again gives the same request. Asking somebody
/// who has asked already accepts: both want it. Bounds against spam: 200 open requests of one sender, 200 waiting for
/// one reader, 100 in 24 hours (20 while the account is new), 5,000 friends.
///
/// **Answering.** The recipient accepts or declines, the sender withdraws; whichever comes first holds. Accepting twice
/// is accepting once.
///
/// **Declining tells nobody.** For 30 days (to the daily sweep) a declined request looks open to its sender, in lists,
/// on the profile, when asking again and when taking it back, and nothing that the sender does about it reaches the
/// recipient: a request that is taken back and sent again begins declined. The recipient sees none of it; asking the
/// sender, they accept.
///
/// **Frozen** readers do none of this, but they may block and lift a block: that protects them and is no voice.
///
/// **Friends** are two rows, one in each direction; either side removes both. How many a reader has is kept in
/// `friend_tally`.
///
/// **Blocking** ends friendship and open requests in both directions, and from then on the two do not exist for each
/// other: whatever one asks about the other is answered as for a name that nobody has. Only who blocked can unblock;
/// nothing comes back by itself.
///
/// **Muting** is for the one who mutes alone: what the other does stands neither in their feed nor on their home, and
/// nothing that it causes comes to their inbox. The other is not told and sees no difference; boards show what they
/// say, marked. At most 10,000.
///
/// **Who sees whose friends.** A list of friends is for the reader and the reader's friends. So a friendship is seen by
/// the friends of either side who may see the other; from this follow the friends in common with anybody, and
/// suggestions of friends of friends.
///
/// **Suggestions** are made when they are asked for, of the newest 100 friends, the 20 books last read and the 20 being
/// read: friends of friends, then readers with at least two of the books on shelves that may be seen. Never oneself,
/// friends, whom one asked or was asked by, muted or dismissed, nor whom a block hides.
///
/// **Order.** Every act on two readers first locks both accounts, the lower identifier first. So of an acceptance, a
/// withdrawal and a block at the same instant one comes first and the others see what it left; nobody is ever both
/// friend and blocked.
///
/// - Tables: `friendship`, `friend_tally`, `friend_request`, `block`, `mute`, `dismissed_suggestion`.
/// - Events: `friend.requested`, `friend.accepted` in the inboxes of the readers they concern; `friendship.changed`,
///   `block.changed`, `mute.changed` on `control`.
/// - Jobs: `friends.sweep`, daily.
package enum Friends {
    /// A request for friendship, seen by one of the two.
    package struct Request: Sendable, Hashable, JSONForm {
        package enum Direction: String, Variation {
            /// The other asked.
            case `in`
            /// The viewer asked.
            case out
        }

        package enum State: String, Sendable, CaseIterable, Encodable, PostgresText {
            case pending, accepted
            /// By the recipient; to the sender it looks pending.
            case declined
            case withdrawn
            /// Declined by the recipient and then withdrawn by the sender.
            case dropped
        }

        package let id: ID<Request>
        /// The other of the two.
        package let reader: Accounts.Reader
        package let direction: Direction
        package let state: State
        package let createdAt: Timestamp

        package func put(into object: JSONObject) {
            object.put("id", id)
            object.put("reader", reader)
            object.put("is_incoming", direction == .in)
            object.put("state", state)
            object.put("created_at", createdAt)
        }
    }

    /// A friend of the viewer.
    package struct Friend: Sendable, Hashable, Encodable {
        package let reader: Accounts.Reader
        package let befriendedAt: Timestamp
    }

    /// Somebody whom the viewer blocked.
    package struct Block: Sendable, Hashable, Encodable {
        package let reader: Accounts.Reader
        package let blockedAt: Timestamp
    }

    /// A place in the lists of friends and blocks: newest first, to the microsecond.
    package struct Key: SortKey, Codable {
        /// Microseconds since 1970: what JSON's milliseconds would cut off.
        let at: Int64
        let id: ID<Accounts.Account>

        init(at: Timestamp, id: ID<Accounts.Account>) {
            self.at = at.microseconds
            self.id = id
        }

        var time: Timestamp { Timestamp(microseconds: at) }

        package static var lowest: Key { Key(at: Timestamp(microseconds: 0), id: .min) }
        package static var highest: Key { Key(at: .end, id: .max) }
    }

    /// What came of asking.
    package enum Asked: Sendable, Hashable {
        case sent(ID<Request>)
        /// It was open already.
        case open(ID<Request>)
        /// The other had asked: now they are friends.
        case accepted(ID<Request>)

        package var id: ID<Request> {
            switch self {
            case .sent(let id), .open(let id), .accepted(let id): id
            }
        }

        package var state: Request.State {
            if case .accepted = self { .accepted } else { .pending }
        }
    }
}
