import Community

// Friendship, blocks, mutes, privacy.
extension SmallCommunity {
    mutating func befriend(_ act: Act, by reader: Int) throws(Refusal) {
        switch act {
        case .ask(let other): try ask(other, by: reader)
        case .accept(let request):
            let it = try mine(request, of: reader, asSender: false)
            if it.state == .accepted, areFriends(it.sender, it.recipient) { return }
            guard it.state == .pending else { throw Self.notFound }
            join(request)
        case .decline(let request):
            guard try mine(request, of: reader, asSender: false).state == .pending else { throw Self.notFound }
            requests[request].state = .declined
        case .withdraw(let request):
            switch try mine(request, of: reader, asSender: true).state {
            case .pending: requests[request].state = .withdrawn
            case .declined: requests[request].state = .dropped
            case .accepted, .withdrawn, .dropped: throw Self.notFound
            }
        case .unfriend(let other):
            guard areFriends(reader, other) else { throw Self.notFound }
            part(reader, other)
        default: break
        }
    }

    private func mine(_ request: Int, of reader: Int, asSender: Bool) throws(Refusal) -> Request {
        let it = requests[request]
        let (own, other) = asSender ? (it.sender, it.recipient) : (it.recipient, it.sender)
        guard own == reader, meets(reader, other) else { throw Self.notFound }
        return it
    }

    /// A request that waits, or looks so to its sender.
    private func waiting(from sender: Int, to recipient: Int) -> Int? {
        requests.indices.first {
            requests[$0].sender == sender && requests[$0].recipient == recipient
                && (requests[$0].state == .pending || requests[$0].state == .declined)
        }
    }

    private mutating func ask(_ other: Int, by reader: Int) throws(Refusal) {
        guard meets(reader, other) else { throw Self.notFound }
        guard !areFriends(reader, other) else { throw Refusal(code: "already_friends") }
        if waiting(from: reader, to: other) != nil { return }
        if let theirs = waiting(from: other, to: reader) { return join(theirs) }
        let wasRefused = requests.contains {
            $0.sender == reader && $0.recipient == other && $0.state == .dropped
        }
        requests.append(Request(sender: reader, recipient: other, state: wasRefused ? .declined : .pending))
        guard !wasRefused else { return }
        tell("friend.requested", on: ["inbox r\(other)"], by: reader, .inbox, "q\(requests.count - 1) r\(reader)")
        tellings.append(.asked(request: requests.count - 1))
    }

    private mutating func join(_ request: Int) {
        let (sender, recipient) = (requests[request].sender, requests[request].recipient)
        requests[request].state = .accepted
        friends[Tie(sender, recipient)] = now
        friends[Tie(recipient, sender)] = now
        tell("friend.accepted", on: ["inbox r\(sender)"], by: recipient, .inbox, "q\(request) r\(recipient)")
        tellings.append(.agreed(request: request))
        tell("friendship.changed", on: ["control"], .nobody, Self.pair(sender, recipient))
    }

    private mutating func part(_ one: Int, _ other: Int) {
        friends[Tie(one, other)] = nil
        friends[Tie(other, one)] = nil
        tell("friendship.changed", on: ["control"], .nobody, Self.pair(one, other))
    }

    private static func pair(_ one: Int, _ other: Int) -> String { "r\(min(one, other)) r\(max(one, other))" }

    // MARK: Blocks and mutes

    mutating func block(_ other: Int, by reader: Int) throws(Refusal) {
        if blocks[Tie(reader, other)] != nil { return }
        guard meets(reader, other) else { throw Self.notFound }
        blocks[Tie(reader, other)] = now
        for place in requests.indices {
            let it = requests[place]
            guard Set([it.sender, it.recipient]) == [reader, other] else { continue }
            if it.state == .pending { requests[place].state = .withdrawn }
            if it.state == .declined { requests[place].state = .dropped }
        }
        if areFriends(reader, other) { part(reader, other) }
        tell("block.changed", on: ["control"], .nobody, Self.pair(reader, other))
    }

    /// Says nothing of whether there is anybody.
    mutating func unblock(_ other: Int, by reader: Int) {
        guard blocks.removeValue(forKey: Tie(reader, other)) != nil else { return }
        tell("block.changed", on: ["control"], .nobody, Self.pair(reader, other))
    }

    mutating func mute(_ other: Int, by reader: Int) throws(Refusal) {
        guard meets(reader, other) else { throw Self.notFound }
        guard mutes[Tie(reader, other)] == nil else { return }
        mutes[Tie(reader, other)] = now
        tell("mute.changed", on: ["control"], .nobody, "r\(reader)")
    }

    /// Says nothing of whether there is anybody.
    mutating func unmute(_ other: Int, by reader: Int) {
        guard mutes.removeValue(forKey: Tie(reader, other)) != nil else { return }
        tell("mute.changed", on: ["control"], .nobody, "r\(reader)")
    }

    mutating func show(_ kind: Privacy.Kind, at level: Visibility, by reader: Int) {
        guard self.level(kind, of: reader) != level else { return }
        privacy[Tie(reader, Self.place(of: kind))] = level
        tell("visibility.changed", on: ["reader r\(reader)"], by: reader, .level(.friends), kind.rawValue)
    }
}

// Direct messages.
extension SmallCommunity {
    func conversation(of one: Int, _ other: Int) -> Int? {
        conversations.indices.first { conversations[$0].has(one) && conversations[$0].has(other) }
    }

    mutating func openConversation(with other: Int, by reader: Int) throws(Refusal) {
        guard meets(reader, other) else { throw Self.notFound }
        guard conversation(of: reader, other) == nil else { return }
        guard areFriends(reader, other) else { throw Refusal(code: "not_friends") }
        conversations.append(Conversation(opener: reader, partner: other, activeAt: now))
    }

    mutating func send(in conversation: Int, card: Int?, by reader: Int) throws(Refusal) {
        guard isOpen(conversation, to: reader) else { throw Self.notFound }
        let other = conversations[conversation].other(than: reader)
        guard areFriends(reader, other) else { throw Refusal(code: "not_friends") }
        if let card {
            guard knows(reader, of: card) else { throw Self.notFound }
            guard opens(card, to: reader) else { throw Refusal(code: "post_gated") }
        }
        let seq = conversations[conversation].messages.count + 1
        messages.append(
            Message(
                conversation: conversation, seq: seq, sender: reader, body: "Message \(messages.count).", card: card))
        conversations[conversation].messages.append(messages.count - 1)
        conversations[conversation].activeAt = now
        tell("message.sent", of: messages.count - 1)
    }

    private mutating func tell(_ kind: String, of message: Int) {
        let it = messages[message]
        let other = conversations[it.conversation].other(than: it.sender)
        tell(
            kind, on: ["conversation c\(it.conversation)", "inbox r\(other)"], by: it.sender,
            .message(message, text: it.text), "m\(message)")
    }

    private func own(_ message: Int, of reader: Int) throws(Refusal) -> Message {
        guard isOpen(messages[message].conversation, to: reader) else { throw Self.notFound }
        guard messages[message].sender == reader else { throw Refusal(code: "not_sender") }
        return messages[message]
    }

    mutating func edit(message: Int, by reader: Int) throws(Refusal) {
        let it = try own(message, of: reader)
        guard it.body != nil else { throw Refusal(code: "message_deleted") }
        guard areFriends(reader, conversations[it.conversation].other(than: reader)) else {
            throw Refusal(code: "not_friends")
        }
        messages[message].text += 1
        messages[message].body = body(ofMessage: message, text: messages[message].text)
        tell("message.edited", of: message)
    }

    /// What a message says once it was edited: another text each time.
    func body(ofMessage message: Int, text: Int) -> String { "Message \(message), text \(text)." }

    mutating func delete(message: Int, by reader: Int) throws(Refusal) {
        guard try own(message, of: reader).body != nil else { return }
        messages[message].body = nil
        messages[message].card = nil
        messages[message].text += 1
        tell("message.deleted", of: message)
    }

    mutating func read(_ conversation: Int, to seq: Int, by reader: Int) throws(Refusal) {
        guard isOpen(conversation, to: reader) else { throw Self.notFound }
        guard (0...conversations[conversation].messages.count).contains(seq) else { throw Refusal(code: "invalid") }
        guard seq > conversations[conversation].read[reader, default: 0] else { return }
        conversations[conversation].read[reader] = seq
        tell(
            "conversation.read", on: ["conversation c\(conversation)", "inbox r\(reader)"], by: reader,
            .receipt(conversation), "\(seq)")
    }

    func unread(in conversation: Int, of reader: Int) -> Int {
        let it = conversations[conversation]
        return it.messages.map { messages[$0] }
            .count { $0.sender != reader && $0.body != nil && $0.seq > it.read[reader, default: 0] }
    }
}
