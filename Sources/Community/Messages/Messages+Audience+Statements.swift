import Postgres

// Who may be told of what, at the time of delivery: parts of `FindExceptions`, whose `asked` and `viewer` are
// in scope.

extension Messages.Statements {
    /// A text that some message of the asked owner's says now, in a conversation that is there for the viewer, from
    /// somebody whom they see.
    static let isTold: Fragment = """
        exists (select 1
                                  from message
                                  join conversation on conversation.id = message.conversation_id
                                 where message.text_id = asked.value
                                   and message.sender_id = asked.owner
                                   and \(isOpen(to: "viewer.id"))
                                   and \(Visibility.predicate(viewer: "viewer.id", owner: "message.sender_id", level: "2")))
        """

    /// How far the asked owner has read a conversation: for the owner, and for the other where both want receipts.
    static let isReceipt: Fragment = """
        exists (select 1
                                  from conversation
                                 where conversation.id = asked.value
                                   and \(isOpen(to: "viewer.id"))
                                   and \(isOpen(to: "asked.owner"))
                                   and (viewer.id = asked.owner or \(haveReceipts("viewer.id", "asked.owner")))
                                   and \(Visibility.predicate(viewer: "viewer.id", owner: "asked.owner", level: "2")))
        """
}
