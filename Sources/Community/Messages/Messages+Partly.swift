// What is shown to whoever may not read all of it: a program whose access token writes messages and does not read them.

extension Messages.Conversation {
    /// The same without its newest message.
    package var withoutMessage: Messages.Conversation {
        var copy = self
        copy.last = nil
        return copy
    }
}

extension Messages.Message {
    /// The same without the post of its card: that there is one is said, and no more.
    package var withoutPost: Messages.Message {
        guard let post = card?.post else { return self }
        var copy = self
        copy.card = .shown(post, nil)
        return copy
    }
}
