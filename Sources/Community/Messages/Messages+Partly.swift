// What is shown to whoever may not read all of it: a program whose access token writes messages and does not read them.

extension Messages.Conversation {
    /// The same without its newest message.
    package var withoutMessage: Messages.Conversation {
        Messages.Conversation(
            id: id, reader: reader, canWrite: canWrite, isArchived: isArchived, isMuted: isMuted, unread: unread,
            readSeq: readSeq, theirReadSeq: theirReadSeq, lastSeq: lastSeq, last: nil, createdAt: createdAt,
            activeAt: activeAt)
    }
}

extension Messages.Message {
    /// The same without the post of its card: that there is one is said, and no more.
    package var withoutPost: Messages.Message {
        guard let post = card?.post else { return self }
        return with(.shown(post, nil))
    }
}
