import JSONWriting
import Postgres

/// Direct messages between friends.
///
/// - **One conversation for each pair**, opened by either; opening it again finds it. The partner sees it in their list
///   from the first message on.
/// - **Writing** (opening, sending, editing) needs friendship now, no block, an account that may write and a proven
///   address, and a partner who is there: else `not_friends`, `account_frozen`, `email_unverified`. Asked under the
///   conversation's lock, which the end of a friendship and a block take too: a reader who hears that one of them is
///   done gets no message after it.
/// - **Once friends no more** the conversation is read and not written. A **block**, in either direction, hides it from
///   both, with all that is in it, in lists, counts and on open sockets at once. When it is lifted it is again what it
///   is between readers who are no friends; as friends they go on in it.
/// - **Messages** have dense places: 1, 2, 3, … An edit raises the version and does not keep what was said before. A
///   deletion leaves an empty message in its place. Both are the sender's alone. A reply names a message of the same
///   conversation.
/// - **Cards**: at most one. That of a book shows what it was merged into. That of a post or a note, which its sender
///   must have open, is looked up for each reader of the message, through their own gate: whole, as
///   `Gate.Placeholder`, or `nil` where it is gone or they may not see it. Events name it and say nothing of it.
/// - **What the partner wrote** is seen through `Visibility.predicate` at level members: of a suspended or leaving
///   partner the conversation stays, without the name and the words. Of a deleted one what they wrote is deleted
///   messages, sent by nobody.
/// - **Read state**: how far each has read never goes back. What the partner sent beyond it and did not delete is
///   unread; stored, and exact at every commit (`conversation_reader.unread`, their sum in
///   `reader_tally.unread_messages`). A muted conversation counts too.
/// - **Receipts**: both see how far the other has read unless one of them has switched receipts off: then neither is
///   shown nor told.
/// - **Archived** conversations come back with a new message unless they are muted. Of a **muted** one nothing goes to
///   the inbox.
/// - **Text**: 1 to 4,000 characters and at most 16,000 bytes, by the rules of `Wording`; given back cleaned as posts
///   are, and as HTML by `Markdown`. A message has no gate: inline spoilers are whole in it, for clients to hide.
///   Notes that readers keep for themselves are another thing: nothing here reads or writes them.
///
/// **Limits**: `Limits.Messages`. **Tables**: `conversation`, `conversation_reader`, `message`, `message_setting`.
/// **Counters**: `reader_tally.unread_messages` (`recounts`). **Events**: `message.sent`, `message.edited`,
/// `message.deleted`, to `conversation:C` and the recipient's inbox; `conversation.read`, to the reader's own inbox
/// and, with receipts, `conversation:C`. **Jobs**: none. Locks are taken in the order account, work, conversation,
/// reader_tally.
package enum Messages {}

extension Messages {
    /// A conversation as one of its two sees it.
    package struct Conversation: Hashable, Sendable {
        package let id: ID<Conversation>
        /// The other of the two; `nil` where the viewer may not see them now, and once their account is deleted.
        package let reader: Accounts.Reader?
        /// Whether the viewer may write to the other now.
        package let canWrite: Bool
        package let isArchived: Bool
        package let isMuted: Bool
        /// Messages of the other that the viewer has not read.
        package let unread: Int
        /// Place up to which the viewer has read; 0 before the first.
        package let readSeq: Int64
        /// Place up to which the other has read; `nil` without receipts.
        package let theirReadSeq: Int64?
        /// Place of the newest message; 0 where there is none.
        package let lastSeq: Int64
        package internal(set) var last: Preview?
        package let createdAt: Timestamp
        /// When the newest message was sent, or the conversation was opened.
        package let activeAt: Timestamp

        package var key: Key { Key(at: activeAt, id: id) }
    }

    /// The newest message of a conversation, as lists show it.
    package struct Preview: Hashable, Sendable {
        package let id: ID<Message>
        package let seq: Int64
        package let author: Accounts.Reader?
        /// The first `Limits.messages.preview` characters of the text.
        package let text: String?
        package let hasCard: Bool
        package let createdAt: Timestamp
        package let deletedAt: Timestamp?
        package let isHidden: Bool
    }

    /// A message as one of the two sees it.
    package struct Message: Hashable, Sendable {
        package let id: ID<Message>
        package let conversation: ID<Conversation>
        package let seq: Int64
        /// `nil` where the viewer may not see them now, and once their account is deleted.
        package let author: Accounts.Reader?
        /// `nil` for a deleted or hidden one.
        package internal(set) var body: String?
        /// The same, safe to show; `nil` with it.
        package internal(set) var html: String?
        package internal(set) var card: Card?
        package let reply: Answered?
        /// 1, 2, …: rises with every edit and with the deletion.
        package internal(set) var version: Int
        package let createdAt: Timestamp
        package internal(set) var editedAt: Timestamp?
        package internal(set) var deletedAt: Timestamp?
        /// The viewer may not see what the other writes now.
        package internal(set) var isHidden: Bool
    }

    /// What a message shows beside its text.
    package enum Card: Hashable, Sendable {
        case book(Catalog.Book)
        /// A post by its name alone: before it is looked up for somebody, and in events.
        case post(ID<Boards.Post>)
        /// The post as the viewer is shown it, never a tombstone; `nil` where they see none.
        case shown(ID<Boards.Post>, Boards.Shown?)
        /// A note by its name alone, and as the viewer is shown it; `nil` where they see none.
        case note(ID<Notebook.Note>)
        case shownNote(ID<Notebook.Note>, Notebook.Listed?)
    }

    /// The message that another one answers.
    package struct Answered: Hashable, Sendable, Encodable {
        package let id: ID<Message>
        package let seq: Int64
    }

    /// What somebody sends.
    package struct NewMessage: Hashable, Sendable {
        package let body: String
        package let reply: ID<Message>?
        /// At most one of the three.
        package let book: ID<Catalog.Work>?
        package let post: ID<Boards.Post>?
        package let note: ID<Notebook.Note>?

        package init(
            _ body: String, reply: ID<Message>? = nil, book: ID<Catalog.Work>? = nil, post: ID<Boards.Post>? = nil,
            note: ID<Notebook.Note>? = nil
        ) {
            self.body = body
            self.reply = reply
            self.book = book
            self.post = post
            self.note = note
        }

        /// Throws `.invalid` for two cards.
        func checkCard() throws(Failure) {
            let cards = [("/book_id", book != nil), ("/post_id", post != nil), ("/note_id", note != nil)].filter(\.1)
            guard cards.count < 2 else {
                throw .invalid(cards[1].0, .mismatch, "a message has one card: of a book, a post or a note")
            }
        }

        /// What a text must be.
        package static func check(body: String, into faults: inout Faults) {
            Wording.check(
                text: body, into: &faults, characters: Limits.messages.body, bytes: 1...Limits.messages.bodyBytes,
                at: "/body")
        }
    }

    /// Where a reader puts a conversation; what is `nil` stays.
    package struct Filing: Hashable, Sendable {
        package let isArchived: Bool?
        package let isMuted: Bool?

        package init(isArchived: Bool? = nil, isMuted: Bool? = nil) {
            self.isArchived = isArchived
            self.isMuted = isMuted
        }
    }

    /// What came of opening a conversation.
    package enum Opened: Hashable, Sendable {
        case made(Conversation)
        case found(Conversation)

        package var conversation: Conversation {
            switch self {
            case .made(let conversation), .found(let conversation): conversation
            }
        }
    }

    /// How far a reader has read after saying so.
    package struct Reading: Hashable, Sendable, JSONForm {
        package let readSeq: Int64
        package let unread: Int

        package func put(into object: JSONObject) {
            object.put("read_seq", readSeq)
            object.put("unread_count", unread)
        }
    }

    /// What a reader wants of messages.
    package struct Settings: Hashable, Sendable, JSONForm {
        package let readReceipts: Bool

        package init(readReceipts: Bool = true) { self.readReceipts = readReceipts }

        package func put(into object: JSONObject) { object.put("has_read_receipts", readReceipts) }
    }

    /// A place in a reader's list: last active first, to the microsecond.
    package struct Key: SortKey, Codable {
        /// Microseconds since 1970: what JSON's milliseconds would cut off.
        let at: Int64
        let id: ID<Conversation>

        init(at: Timestamp, id: ID<Conversation>) {
            self.at = at.microseconds
            self.id = id
        }

        var time: Timestamp { Timestamp(microseconds: at) }

        package static var lowest: Key { Key(at: Timestamp(microseconds: 0), id: .min) }
        package static var highest: Key { Key(at: .end, id: .max) }
    }
}

extension Messages.Conversation {
    /// The same for a program whose access token writes messages and does not read them: without its newest message.
    package var withoutMessage: Messages.Conversation {
        var copy = self
        copy.last = nil
        return copy
    }
}

extension Messages.Message {
    /// The same for such a program: that its card has a post or a note is said, and no more.
    package var withoutShown: Messages.Message {
        var copy = self
        copy.card = card?.withoutWords
        return copy
    }
}
