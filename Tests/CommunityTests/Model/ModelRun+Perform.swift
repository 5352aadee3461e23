import Community

// Acts as a server does them.
extension ModelRun {
    /// `ok`, or the code of what it was refused with.
    mutating func perform(_ act: SmallCommunity.Act, by reader: Int, on server: Community) async -> String {
        do {
            try await call(act, by: names.readers[reader], on: server)
            return "ok"
        } catch is Places.Conflict {
            return "behind"
        } catch {
            switch error as? Failure {
            case .notFound?: return "not_found"
            case .forbidden(let code, _)?, .conflict(let code, _)?: return code.rawValue
            case .invalid?: return "invalid"
            default: return "\(error)"
            }
        }
    }

    private mutating func call(
        _ act: SmallCommunity.Act, by reader: Accounts.Identity, on server: Community
    ) async throws {
        let id = reader.account
        switch act {
        case .ask(let other): names.add(try await server.friends.ask(names.readers[other].username, by: reader).id)
        case .accept(let request): _ = try await server.friends.accept(names.requests[request], by: id)
        case .decline(let request): try await server.friends.decline(names.requests[request], by: id)
        case .withdraw(let request): try await server.friends.withdraw(names.requests[request], by: id)
        case .unfriend(let other): try await server.friends.remove(names.readers[other].account, of: id)
        case .block(let other): try await server.friends.block(names.readers[other].username, by: id)
        case .unblock(let other): try await server.friends.unblock(names.readers[other].username, by: id)
        case .mute(let other): try await server.friends.mute(names.readers[other].username, by: id)
        case .unmute(let other): try await server.friends.unmute(names.readers[other].username, by: id)
        case .show(let kind, let level): try await server.profiles.change([kind: level], for: id)
        case .shelve, .unshelve, .progress, .gate, .reveal, .unreveal: try await read(act, by: id, on: server)
        case .open, .reply, .edit, .delete, .react, .unreact: try await write(act, by: id, on: server)
        case .watch, .unwatch, .watchBoard, .unwatchBoard, .markRead, .readNotifications:
            try await keep(act, by: id, on: server)
        case .openConversation, .send, .editMessage, .deleteMessage, .readMessages:
            try await correspond(act, by: reader, on: server)
        }
    }

    private func read(
        _ act: SmallCommunity.Act, by reader: ID<Accounts.Account>, on server: Community
    ) async throws {
        switch act {
        case .shelve(let work, let status):
            _ = try await server.library.put(Library.Move(status), on: names.works[work], by: reader)
        case .unshelve(let work): try await server.library.remove(names.works[work], by: reader)
        case .progress(let work, let position, let device, let isMeant):
            let step = Places.Step(.part(position), device: device, meant: isMeant ? .mine : nil)
            _ = try await server.places.log(step, in: names.works[work], by: reader)
        case .gate(let isOff, let gatesRereads):
            _ = try await server.gate.change(isOff: isOff, gatesRereads: gatesRereads, by: reader)
        case .reveal(let subject): try await server.gate.reveal(named(subject), by: reader)
        case .unreveal(let subject): try await server.gate.unreveal(named(subject), by: reader)
        default: break
        }
    }

    private func named(_ subject: SmallCommunity.Revealed.Subject) -> Thing {
        switch subject {
        case .post(let post): .post(names.posts[post])
        case .thread(let thread): .thread(names.threads[thread])
        case .work(let work): .book(names.works[work])
        }
    }

    private mutating func write(
        _ act: SmallCommunity.Act, by reader: ID<Accounts.Account>, on server: Community
    ) async throws {
        let boards = server.boards
        switch act {
        case .open(let work, let scope):
            let body = state.body(ofPost: state.posts.count, text: 1)
            let new = Boards.NewThread(title: "A title", body: body, scope: Self.said(scope))
            let opened = try await boards.open(new, on: names.works[work], by: reader)
            names.add(opened.thread.id)
            names.add(opened.post.id)
        case .reply(let thread, let parent, let quoted, let scope, let mentioned):
            let body = state.body(ofPost: state.posts.count, text: 1, mentioning: mentioned)
            let new = Boards.NewPost(
                body: body, parent: parent.map { names.posts[$0] }, quoted: quoted.map { names.posts[$0] },
                scope: Self.said(scope))
            names.add(try await boards.reply(new, in: names.threads[thread], by: reader).post.id)
        case .edit(let post, let isSaidAnew, let scope):
            let body = isSaidAnew ? state.body(ofPost: post, text: state.posts[post].text + 1) : nil
            let change = Boards.Change(body: body, scope: Self.said(scope))
            _ = try await boards.edit(names.posts[post], change, by: reader)
        case .delete(let post): try await boards.delete(names.posts[post], by: reader)
        case .react(let post, let reaction):
            try await server.reactions.react(reaction, to: names.posts[post], by: reader)
        case .unreact(let post, let reaction):
            try await server.reactions.unreact(reaction, to: names.posts[post], by: reader)
        default: break
        }
    }

    private static func said(_ scope: Int?) -> Boards.SaidScope? {
        scope.flatMap(Gate.Scope.init(position:)).map { .scope($0) }
    }

    private func keep(
        _ act: SmallCommunity.Act, by reader: ID<Accounts.Account>, on server: Community
    ) async throws {
        let boards = server.boards
        switch act {
        case .watch(let thread, let watching):
            try await boards.watch(names.threads[thread], as: watching, by: reader)
        case .unwatch(let thread, let watching):
            try await boards.unwatch(names.threads[thread], as: watching, by: reader)
        case .watchBoard(let work, let watching):
            try await boards.watch(boardOf: names.works[work], as: watching, by: reader)
        case .unwatchBoard(let work, let watching):
            try await boards.unwatch(boardOf: names.works[work], as: watching, by: reader)
        case .markRead(let thread, let number):
            try await boards.markRead(names.threads[thread], upTo: number, by: reader)
        case .readNotifications: try await server.notifications.readAll(by: reader)
        default: break
        }
    }

    private mutating func correspond(
        _ act: SmallCommunity.Act, by reader: Accounts.Identity, on server: Community
    ) async throws {
        let messages = server.messages
        switch act {
        case .openConversation(let other):
            let opened = try await messages.open(with: names.readers[other].username, by: reader)
            names.add(opened.conversation.id)
        case .send(let conversation, let card):
            let new = Messages.NewMessage(
                "Message \(state.messages.count).", post: card.map { names.posts[$0] })
            names.add(try await messages.send(new, in: names.conversations[conversation], by: reader).id)
        case .editMessage(let message):
            let body = state.body(ofMessage: message, text: state.messages[message].text + 1)
            _ = try await messages.edit(names.messages[message], to: body, by: reader)
        case .deleteMessage(let message):
            try await messages.delete(names.messages[message], by: reader.account)
        case .readMessages(let conversation, let seq):
            _ = try await messages.read(
                names.conversations[conversation], upTo: Int64(seq), by: reader.account)
        default: break
        }
    }
}
