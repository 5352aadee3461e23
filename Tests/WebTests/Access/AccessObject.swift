import TestSupport
import Web

/// A thing of the scene beside the one of its kind that the table is about, and what every route about such a thing
/// answers then.
struct AccessObject: Sendable {
    /// What failures call it.
    let name: String
    /// The parameters of routes, and the words of the scene that stand in their place.
    let words: [String: String]
    /// Every route with one of those parameters.
    let cells: [String: Expectation]

    static let all = [shut, club, shutReview, shutNote, shutPhoto, former, hiddenFromBlocked, hiddenFromBlocker]
}

// MARK: Boards

extension AccessObject {
    /// On the book's board: nobody but the owner, who wrote it, has come so far.
    static let shut = AccessObject(
        name: "a thread that lies ahead", words: ["thread": "shutThread", "post": "shutPost"],
        cells: [
            "GET /api/v1/threads/{thread}": .placeholders, "GET /api/v1/threads/{thread}/posts": .placeholders,
            "GET /api/v1/posts/{post}": .placeholders, "GET /api/v1/posts/{post}/replies": .unblocked,
            "GET /api/v1/posts/{post}/history": .gated.but(.told, for: .owner),
            "GET /api/v1/threads/{thread}/posts/search": .unfoundByPeers.at(
                "/api/v1/threads/{thread}/posts/search?q={secret}"),

            "POST /api/v1/threads/{thread}/posts": .gated.with(["body": "words"]),
            "PATCH /api/v1/posts/{post}": .ownerBeforePeers.with(["body": "other words"]),
            "DELETE /api/v1/posts/{post}": .ownerBeforePeers,
            "PUT /api/v1/posts/{post}/reactions/{name}": .gated.but(.refused, for: .owner).at(
                "/api/v1/posts/{post}/reactions/like"),
            // One that was given before the post was raised is taken back; that tells nothing of it.
            "DELETE /api/v1/posts/{post}/reactions/{name}": .peers.at("/api/v1/posts/{post}/reactions/like"),

            "PUT /api/v1/threads/{thread}/read": .peers.with(["number": 1]),
            "DELETE /api/v1/threads/{thread}/read": .members,
            "PUT /api/v1/threads/{thread}/follow": .peers, "DELETE /api/v1/threads/{thread}/follow": .mine,
            "PUT /api/v1/threads/{thread}/mute": .peers, "DELETE /api/v1/threads/{thread}/mute": .mine,

            "PUT /api/v1/threads/{thread}/reveal": .peers, "DELETE /api/v1/threads/{thread}/reveal": .peers,
            "PUT /api/v1/posts/{post}/reveal": .peers, "DELETE /api/v1/posts/{post}/reveal": .peers,
            "PUT /api/v1/posts/{post}/spoils": .spoilerMarks, "DELETE /api/v1/posts/{post}/spoils": .peers,

            // Moderators need not have come so far for what shows them nothing of it.
            "PUT /api/v1/posts/{post}/scope": .moderators.with(["scope": ["upto": 5000], "reason": "because"]),
            "PUT /api/v1/posts/{post}/hide": .moderators.with(["reason": "because"]),
            "DELETE /api/v1/posts/{post}/hide": .moderators,
            "PUT /api/v1/threads/{thread}/lock": .moderators, "DELETE /api/v1/threads/{thread}/lock": .moderators,
            "PUT /api/v1/threads/{thread}/pin": .moderators, "DELETE /api/v1/threads/{thread}/pin": .moderators,
        ])

    /// On the board of the owner's private group, about no book.
    static let club = AccessObject(
        name: "a thread of a private group", words: ["thread": "clubThread", "post": "clubPost"],
        cells: [
            "GET /api/v1/threads/{thread}": .fellows, "GET /api/v1/threads/{thread}/posts": .fellows,
            "GET /api/v1/posts/{post}": .fellows, "GET /api/v1/posts/{post}/replies": .fellows,
            "GET /api/v1/posts/{post}/history": .fellows,
            "GET /api/v1/threads/{thread}/posts/search": .fellows.at("/api/v1/threads/{thread}/posts/search?q=words"),

            "POST /api/v1/threads/{thread}/posts": .fellows.with(["body": "words"]),
            "PATCH /api/v1/posts/{post}": .ownerBeforeFellows.with(["body": "other words"]),
            "DELETE /api/v1/posts/{post}": .ownerBeforeFellows,
            "PUT /api/v1/posts/{post}/reactions/{name}": .fellows.but(.refused, for: .owner).at(
                "/api/v1/posts/{post}/reactions/like"),
            "DELETE /api/v1/posts/{post}/reactions/{name}": .fellows.at("/api/v1/posts/{post}/reactions/like"),

            "PUT /api/v1/threads/{thread}/read": .fellows.with(["number": 1]),
            "DELETE /api/v1/threads/{thread}/read": .members,
            "PUT /api/v1/threads/{thread}/follow": .fellows, "DELETE /api/v1/threads/{thread}/follow": .mine,
            "PUT /api/v1/threads/{thread}/mute": .fellows, "DELETE /api/v1/threads/{thread}/mute": .mine,

            "PUT /api/v1/threads/{thread}/reveal": .fellows, "DELETE /api/v1/threads/{thread}/reveal": .fellows,
            "PUT /api/v1/posts/{post}/reveal": .fellows, "DELETE /api/v1/posts/{post}/reveal": .fellows,
            "PUT /api/v1/posts/{post}/spoils": .fellows.but(.refused, for: .owner).with(["position": 5000]),
            "DELETE /api/v1/posts/{post}/spoils": .fellows,

            // Moderators of the server act on what they name; who leads a group is one of its own.
            "PUT /api/v1/posts/{post}/scope": .moderators.with(["scope": ["upto": 5000], "reason": "because"]),
            "PUT /api/v1/posts/{post}/hide": .clubModerators.with(["reason": "because"]),
            "DELETE /api/v1/posts/{post}/hide": .clubModerators,
            "PUT /api/v1/threads/{thread}/lock": .clubModerators,
            "DELETE /api/v1/threads/{thread}/lock": .clubModerators,
            "PUT /api/v1/threads/{thread}/pin": .clubModerators,
            "DELETE /api/v1/threads/{thread}/pin": .clubModerators,
        ])
}

// MARK: Reviews

extension AccessObject {
    /// Everybody may know of it, and nobody but the owner is as far in its book.
    static let shutNote = AccessObject(
        name: "a note that lies ahead", words: ["note": "shutNote", "item": "shutItem"],
        cells: [
            "GET /api/v1/notes/{note}": .placeholders, "PATCH /api/v1/notes/{note}": .owner.with(["title": "new"]),
            "DELETE /api/v1/notes/{note}": .owner,
            "PUT /api/v1/notes/{note}/reactions/{name}": .gated.but(.refused, for: .owner).at(
                "/api/v1/notes/{note}/reactions/like"),
            "DELETE /api/v1/notes/{note}/reactions/{name}": .peers.at("/api/v1/notes/{note}/reactions/like"),
            "POST /api/v1/notes/{note}/items": .owner.with(["kind": "text", "body": "more"]),
            "PATCH /api/v1/notes/{note}/items/{item}": .owner.with(["body": "new"]),
            "DELETE /api/v1/notes/{note}/items/{item}": .owner,
            "PUT /api/v1/notes/{note}/themes/{theme}": .owner, "DELETE /api/v1/notes/{note}/themes/{theme}": .owner,
            "POST /api/v1/notes/{note}/share": .owner.with(["title": "words"]),
        ])

    /// Everybody may know of it, and nobody but the owner has finished its book.
    static let shutReview = AccessObject(
        name: "a review that gives the end away", words: ["review": "shutReview", "reply": "shutAnswer"],
        cells: [
            "GET /api/v1/reviews/{review}": .placeholders, "GET /api/v1/reviews/{review}/replies": .placeholders,
            "GET /api/v1/reviews/{review}/history": .gated.but(.told, for: .owner),
            "GET /api/v1/review-replies/{reply}": .placeholders,
            "POST /api/v1/reviews/{review}/replies": .gated.with(["body": "words"]),
            "PATCH /api/v1/review-replies/{reply}": .owner.with(["body": "other words"]),
            "DELETE /api/v1/review-replies/{reply}": .owner,
            "PUT /api/v1/reviews/{review}/reactions/{name}": .gated.but(.refused, for: .owner).at(
                "/api/v1/reviews/{review}/reactions/like"),
            "DELETE /api/v1/reviews/{review}/reactions/{name}": .peers.at("/api/v1/reviews/{review}/reactions/like"),
            "PUT /api/v1/reviews/{review}/reveal": .peers, "DELETE /api/v1/reviews/{review}/reveal": .peers,
        ])
}

// MARK: Photographs

extension AccessObject {
    /// Everybody may know of it, and nobody but the owner has come so far in its book.
    static let shutPhoto = AccessObject(
        name: "a photograph that lies ahead", words: ["photo": "shutPhoto"],
        cells: [
            "GET /api/v1/photos/{photo}": .placeholders, "PATCH /api/v1/photos/{photo}": .owner.with(["alt": "new"]),
            "PUT /api/v1/photos/{photo}/image": .owner, "DELETE /api/v1/photos/{photo}": .owner,
            "GET /api/v1/photos/{photo}/{width}": .owner.at("/api/v1/photos/{photo}/320"),
        ])
}

// MARK: Conversations

extension AccessObject {
    /// Friends no more: it is read and not written.
    static let former = AccessObject(
        name: "a conversation of two who were friends",
        words: ["conversation": "formerConversation", "message": "formerMessage"],
        cells: [
            "GET /api/v1/conversations/{conversation}": .formerCorrespondents,
            "PATCH /api/v1/conversations/{conversation}": .formerCorrespondents.with(["is_muted": true]),
            "PUT /api/v1/conversations/{conversation}/read": .formerCorrespondents.with(["seq": 1]),
            "GET /api/v1/conversations/{conversation}/messages": .formerCorrespondents,
            "POST /api/v1/conversations/{conversation}/messages": .nobody.but(.notFriends, for: .owner, .exFriend)
                .with(["body": "another"]),
            "GET /api/v1/messages/{message}": .formerCorrespondents,
            "PATCH /api/v1/messages/{message}": .nobody.but(.notFriends, for: .owner).but(.refused, for: .exFriend)
                .with(["body": "new"]),
            "DELETE /api/v1/messages/{message}": .owner.but(.refused, for: .exFriend),
        ])

    /// What the blocked one said in it is as little there for them as what the owner said.
    static let hiddenFromBlocked = AccessObject(
        name: "a conversation with somebody whom the owner has blocked",
        words: ["conversation": "blockedConversation", "message": "blockedAnswer"], cells: hidden)

    static let hiddenFromBlocker = AccessObject(
        name: "a conversation with somebody who has blocked the owner",
        words: ["conversation": "blockerConversation", "message": "blockerMessage"], cells: hidden)

    private static let hidden: [String: Expectation] = [
        "GET /api/v1/conversations/{conversation}": .nobody,
        "PATCH /api/v1/conversations/{conversation}": .nobody.with(["is_muted": true]),
        "PUT /api/v1/conversations/{conversation}/read": .nobody.with(["seq": 1]),
        "GET /api/v1/conversations/{conversation}/messages": .nobody,
        "POST /api/v1/conversations/{conversation}/messages": .nobody.with(["body": "another"]),
        "GET /api/v1/messages/{message}": .nobody,
        "PATCH /api/v1/messages/{message}": .nobody.with(["body": "new"]),
        "DELETE /api/v1/messages/{message}": .nobody,
    ]
}

// MARK: Single calls

extension Expectation {
    /// For moderators of the server, and the owner, whose group it is.
    fileprivate static let clubModerators = moderators.but(.passes, for: .owner)
    /// For the participant, who said it; the owner is told that it is not theirs to change.
    private static let participants = Expectation(passing: [.participant], passes: .passes, others: .hidden)
        .but(.refused, for: .owner)

    /// Routes that answer otherwise with another body or in another place.
    static let further: [(route: String, expected: Expectation)] = [
        // What lies ahead, in lists of what does not
        (
            "GET /api/v1/books/{book}/threads",
            .everybody.but(.placeholder, for: unblocked.passing).but(.told, for: .owner)
        ),
        (
            "GET /api/v1/books/{book}/reviews",
            .everybody.but(.placeholder, for: unblocked.passing).but(.told, for: .owner)
                .at("/api/v1/books/{third}/reviews")
        ),
        (
            "GET /api/v1/books/{book}/photos",
            .everybody.but(.placeholder, for: unblocked.passing).but(.told, for: .owner)
        ),
        ("GET /api/v1/readers/{username}/photos", .placeholders),
        ("GET /api/v1/readers/{username}/reviews", .placeholders),
        ("GET /api/v1/threads/{thread}/posts", .placeholders),
        ("GET /api/v1/posts/{post}/replies", .placeholders),
        ("GET /api/v1/posts/{post}", .placeholders.about(["post": "shutReply"])),
        ("GET /api/v1/readers/{username}/posts", .placeholders),
        ("GET /api/v1/boards/search", .unfound.at("/api/v1/boards/search?q={secret}")),
        ("GET /api/v1/books/{book}/threads/search", .unfound.at("/api/v1/books/{book}/threads/search?q={secret}")),

        // Answering, quoting and changing what lies ahead
        ("POST /api/v1/threads/{thread}/posts", .gated.with(["body": "words", "parent_id": "{shutReply}"])),
        ("POST /api/v1/threads/{thread}/posts", .gated.with(["body": "words", "quoted_id": "{shutReply}"])),
        (
            "PATCH /api/v1/posts/{post}",
            .ownerBeforePeers.but(.gated, for: .moderator).with(["title": "Another", "reason": "because"])
                .about(["post": "shutPost"])
        ),

        // A card of it
        (
            "GET /api/v1/conversations/{conversation}/messages",
            .nobody.but(.told, for: .owner).but(.placeholder, for: .participant)
        ),
        (
            "GET /api/v1/messages/{message}",
            .nobody.but(.told, for: .owner).but(.placeholder, for: .participant).about(["message": "card"])
        ),
        (
            "POST /api/v1/conversations/{conversation}/messages",
            .correspondents.but(.gated, for: .participant).with(["body": "words", "post_id": "{shutPost}"])
        ),

        // What the other of the two said
        ("PATCH /api/v1/messages/{message}", participants.with(["body": "new"]).about(["message": "answer"])),
        ("DELETE /api/v1/messages/{message}", participants.about(["message": "answer"])),
        ("PATCH /api/v1/messages/{message}", .nobody.with(["body": "new"]).about(["message": "blockedMessage"])),
        ("PATCH /api/v1/messages/{message}", .nobody.with(["body": "new"]).about(["message": "blockerAnswer"])),
        (
            "PATCH /api/v1/messages/{message}",
            .nobody.but(.refused, for: .owner).but(.notFriends, for: .exFriend).with(["body": "new"])
                .about(["message": "formerAnswer"])
        ),
        (
            "DELETE /api/v1/messages/{message}",
            Expectation(passing: [.exFriend], passes: .passes, others: .hidden).but(.refused, for: .owner)
                .about(["message": "formerAnswer"])
        ),
    ]
}
