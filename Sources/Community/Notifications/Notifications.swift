import JSONWriting
import Postgres

/// What readers are told of: that somebody answered, mentioned, quoted or reacted to them, asked them for friendship,
/// or wrote where they follow.
///
/// - **Grouped**: one row for a reader, a kind and a subject while it is unread. Another actor or another post moves it
///   up, unseen again; once it was read, the next begins a new one. It knows each actor once, at most 100, and shows
///   the newest three.
/// - **How it comes about**: a write puts a `Tell` into the queue, in its own transaction. It tells at most 100
///   readers in a transaction and puts the rest behind itself. Nobody is told of the same thing twice: neither when a
///   job runs again, nor when it is late, nor when a reaction is taken back and given again.
/// - **Followers of a thread** are told once in five seconds, however fast it goes (`Gather`): of the newest post of
///   each of the 20 authors who wrote last. Of each post once: what comes late is told alone, so that what a reader
///   took away stays away.
/// - **Of one post a reader is told once**, as the first that fits: a reply to what they said, a mention, a quote, a
///   post in a thread that they follow. An edit tells those whom it mentions.
/// - **On a group's board** the same holds, for those to whom `Groups.opens` it, when they are told and when they read:
///   a reader who left or was removed sees nothing of it any more, also of what answers their own posts. New threads
///   there are told to members who follow that board, and not to followers of the board of their book.
/// - **Of reviews**: a reply is told to the review's author, to those whom it mentions and to those who replied before,
///   to each once, as the first that fits; an edit of it to those whom it mentions; a reaction to the author. Review
///   and reply must be seen; the review's spoiler mark gates them (`Gate.opensReview`).
/// - **Of groups**: an invitation to the reader who is invited, a request to owners and moderators, being let in to the
///   reader who asked. Shown while it stands: an invitation that waits or was followed, a request likewise to who leads
///   the group, being let in to members.
/// - **Of moderation**: that moderators did something to a reader or to something of theirs, or took it back, with their
///   reason: to that reader, of an act on many once; that a report was decided, not what was done: to who made it.
///   Nobody is named.
/// - **Of goals**: that what the reader set out to read in a year is read: to that reader, once, shown while it is so.
/// - **Never told**: the actor; readers who may not see the actor or the post (`Visibility`, so nobody across a block);
///   who muted the actor; who muted the thread or the board, except that one's own post was raised; who switched the
///   kind off; readers who have no reach.
/// - **Shown as things are now**: rows hold no text. Actors, posts, titles and excerpts are looked up when they are
///   read, through `Visibility` and `Gate`: an actor who was blocked or whose post is gone drops out; a gated post or
///   title is its placeholder; excerpts hold no inline spoiler. One without anything to show is left out.
/// - **A kind that is not known**, because a newer server told it that runs beside this one or ran before it, is shown
///   without anything but that it is there: it pages, is counted, read and taken away as any other. Mails leave it to a
///   server that knows it; the sweep takes it by age and number alone.
/// - **Counted as stored**: `reader_tally.unread_notifications` is the number of unread rows, exact at every commit,
///   those with nothing to show included until the daily sweep takes them; reading all takes them at once.
/// - **Mail**: where reader and kind want it, of what has been unread for 15 minutes, one mail with all that gathered,
///   at most one an hour, to proven addresses. Usual: what waits for an answer (`post.reply`, `post.mention`,
///   `review.reply`, `review.mention`, `friend.requested`, `group.invited`, `group.requested`).
/// - **Kept**: 90 days and the newest 1,000 of each reader; the daily sweep takes the rest.
/// - **A new kind** is a case of `Kind` with its deed, a line of `Catalogue`, and a call: `Tell.told` where it concerns
///   one reader, in the transaction of what happened.
///
/// Tables: `notification`, `notification_actor`, `notification_setting`. Counter: `reader_tally.unread_notifications`.
/// Events (v1): `notification.new` `{notification: {id, kind, actor_count}, unread}` to `inbox:R`, owned by the actor.
/// Jobs: `Tell`, `Gather`, `Forget`, and by schedule `Digest` (each minute) and `Sweep` (daily). Limits:
/// `Limits.Notifications`. Locks are taken in the order account, notification (by reader), reader_tally. A `Tell` locks
/// the job row of a `Gather` after accounts, a `Gather` its own before them. That cannot deadlock because both lock
/// accounts `for key share` only (`Hold`), which waits for no other such lock, and because a transaction that locks an
/// account `for update` waits for no `Gather`. Who makes `Hold` stronger, or writes a `Gather` elsewhere, must bring
/// both into one order.
package enum Notifications {
    enum Statements {}
}

extension Notifications {
    /// What happened.
    package enum Kind: String, Sendable, CaseIterable, PostgresText, Codable, CodingKey {
        /// Somebody replied to the reader's post; grouped by that.
        case postReply = "post.reply"
        /// Somebody wrote in a thread that the reader follows; grouped by that.
        case threadReply = "thread.reply"
        /// Somebody named the reader; grouped by thread.
        case postMention = "post.mention"
        /// Somebody quoted the reader's post; grouped by that.
        case postQuote = "post.quote"
        /// Somebody reacted to the reader's post; grouped by that.
        case postReaction = "post.reaction"
        /// The reader's post is shown to fewer; nobody is named.
        case postRaised = "post.raised"
        /// Somebody opened a thread on a board that the reader follows; grouped by book or group.
        case boardThread = "board.thread"
        case friendRequested = "friend.requested"
        case friendAccepted = "friend.accepted"
        /// Somebody replied to the reader's review; grouped by that.
        case reviewReply = "review.reply"
        /// Somebody replied to a review that the reader has replied to; grouped by that.
        case reviewTalk = "review.talk"
        /// Somebody named the reader in a reply to a review; grouped by that.
        case reviewMention = "review.mention"
        /// Somebody reacted to the reader's review; grouped by that.
        case reviewReaction = "review.reaction"
        /// Somebody invited the reader into a group; grouped by that, as are the next two.
        case groupInvited = "group.invited"
        /// Somebody asks to be let into a group that the reader leads.
        case groupRequested = "group.requested"
        /// Somebody let the reader into a group.
        case groupAccepted = "group.accepted"
        /// Moderators did something to the reader or to something of theirs, or took it back; grouped by the act, or the
        /// act on many.
        case moderationActed = "moderation.acted"
        /// What the reader reported was decided; grouped by its case.
        case reportDecided = "report.decided"
        /// What the reader set out to read in a year is read; the year is its subject.
        case goalReached = "goal.reached"

        /// What its actors did, by which it is known whether they are still to be named.
        enum Deed: CaseIterable {
            /// They wrote the post that is their cause.
            case post
            /// They reacted to the post that is.
            case postReaction
            /// They sent the request that is.
            case friendRequest
            /// They wrote the reply to a review that is.
            case reviewReply
            /// They reacted to the review that is.
            case reviewReaction
            /// They invited into the group that is the subject.
            case groupInvitation
            /// They asked to be let into it.
            case groupRequest
            /// They let into it.
            case groupAdmission
            /// Nothing that could be taken back: they are named while they are to be seen.
            case plain
            /// There are none; it is about the post that is the subject.
            case nobody
            /// Nor here: it is about the act of moderators that is, or the first of an act on many.
            case act
            /// Nor here: it is about the reader's report in the case that is.
            case decision
            /// Nor here: it is about the reader's goal of the year that is.
            case goal
        }

        var deed: Deed {
            switch self {
            case .postReply, .threadReply, .postMention, .postQuote, .boardThread: .post
            case .postReaction: .postReaction
            case .postRaised: .nobody
            case .friendRequested: .friendRequest
            case .friendAccepted: .plain
            case .reviewReply, .reviewTalk, .reviewMention: .reviewReply
            case .reviewReaction: .reviewReaction
            case .groupInvited: .groupInvitation
            case .groupRequested: .groupRequest
            case .groupAccepted: .groupAdmission
            case .moderationActed: .act
            case .reportDecided: .decision
            case .goalReached: .goal
            }
        }

        /// What holds for readers who chose nothing.
        package var usual: Channels {
            switch self {
            case .postReply, .postMention, .reviewReply, .reviewMention, .friendRequested, .groupInvited,
                .groupRequested:
                Channels(inbox: true, mail: true)
            default: Channels(inbox: true, mail: false)
            }
        }
    }

    /// Where a reader is told of a kind.
    package struct Channels: Hashable, Sendable, JSONForm {
        /// Without it nothing of the kind is told.
        package let inbox: Bool
        /// Also by mail, while it is unread.
        package let mail: Bool

        package func put(into object: JSONObject) {
            object.put("is_in_inbox", inbox)
            object.put("is_mailed", mail)
        }
    }

    /// Which ones are wanted.
    package struct Filter: Hashable, Sendable {
        package let isUnread: Bool
        package let kind: Kind?

        package init(isUnread: Bool = false, kind: Kind? = nil) {
            self.isUnread = isUnread
            self.kind = kind
        }

        package static let all = Filter()
    }

    /// A place in the list: newest first, to the microsecond.
    package struct Key: SortKey, Codable {
        /// Microseconds since 1970: what JSON's milliseconds would cut off.
        let at: Int64
        let id: ID<Item>

        init(at: Timestamp, id: ID<Item>) {
            self.at = at.microseconds
            self.id = id
        }

        var time: Timestamp { Timestamp(microseconds: at) }

        package static var lowest: Key { Key(at: Timestamp(microseconds: 0), id: .min) }
        package static var highest: Key { Key(at: .end, id: .max) }
    }
}
