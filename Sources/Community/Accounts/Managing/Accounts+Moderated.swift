import Postgres

extension Accounts.Account: Moderated {
    package static let verbs: [Moderation.Verb] = [
        .warn, .limit, .freeze, .suspend, .unsuspend, .restore, .role, .hideName, .unhideName, .hideBio, .unhideBio,
        .hidePicture, .unhidePicture,
    ]

    package static func perform(
        _ order: Moderation.Order, on id: Int64, of services: Services, in transaction: Transaction
    ) async throws -> Moderation.Change? {
        guard let standing = try await transaction.first(Accounts.Statements.Lock(account: ID(rawValue: id))) else {
            throw Thing(Self.self, id).missing
        }
        try order.actor.mayActOn(standing.role)
        if [.hideName, .unhideName, .hideBio, .unhideBio, .hidePicture, .unhidePicture].contains(order.verb) {
            return try await performOnProfile(order, on: standing, of: services, in: transaction)
        }
        let store = Accounts.Store(services, endings: [])
        let words: (before: [String: String], after: [String: String])? =
            switch order.verb {
            case .warn: ([:], [:])
            case .suspend: try await store.suspend(standing, in: transaction)
            case .unsuspend: try await store.unsuspend(standing, in: transaction)
            case .role: try await store.setRole(of: standing, by: order, in: transaction)
            default: try await store.restrict(standing, by: order, in: transaction)
            }
        return words.map { Moderation.Change(author: standing.account, before: $0.before, after: $0.after) }
    }
}

extension Accounts {
    /// What an account is to be that is limited, frozen, or made what it was before.
    fileprivate static func state(wantedBy order: Moderation.Order) -> State {
        switch order.verb {
        case .limit: .limited
        case .freeze: .frozen
        default: order.wanted["state"].flatMap(State.init) ?? .active
        }
    }

    private static func alreadyIn(_ state: State) -> Failure {
        let code: ProblemCode =
            switch state {
            case .limited: .alreadyLimited
            case .frozen: .alreadyFrozen
            default: .alreadyActive
            }
        return .conflict(code: code, "this account is \(state.rawValue) already")
    }

    /// What an order is answered with that changes nothing; `nil`: it may be given again.
    static func alreadySo(_ order: Moderation.Order) -> Failure? {
        switch order.verb {
        case .unsuspend: .conflict(code: .notSuspended, "this account is not suspended")
        case .suspend: .conflict(code: .alreadySuspended, "this account is suspended already")
        case .role, .warn: nil
        default: alreadyIn(state(wantedBy: order))
        }
    }
}

extension Accounts.Store {
    fileprivate typealias Words = (before: [String: String], after: [String: String])

    fileprivate func suspend(_ standing: Accounts.Standing, in transaction: Transaction) async throws -> Words? {
        guard standing.state != .suspended else { return nil }
        if standing.role == .owner { try await requireAnotherOwner(than: standing.account, in: transaction) }
        try await setState(of: standing.account, to: .suspended, in: transaction)
        try await endEverySession(of: standing.account, in: transaction)
        try await dropCodes(of: standing.account, in: transaction)
        return (["state": standing.state.rawValue], ["state": Accounts.State.suspended.rawValue])
    }

    fileprivate func unsuspend(_ standing: Accounts.Standing, in transaction: Transaction) async throws -> Words? {
        guard standing.state == .suspended else { return nil }
        let isLeaving = try await transaction.one(Accounts.Statements.IsDeparting(account: standing.account))
        let state = isLeaving ? .leaving : standing.stateBefore ?? .active
        try await setState(of: standing.account, to: state, in: transaction)
        return (["state": standing.state.rawValue], ["state": state.rawValue])
    }

    fileprivate func restrict(
        _ standing: Accounts.Standing, by order: Moderation.Order, in transaction: Transaction
    ) async throws -> Words? {
        guard standing.state != .suspended || order.undoes != nil else {
            throw Failure.conflict(code: .suspended, "this account is suspended; unsuspend it first")
        }
        // A reader who is leaving or shut out may come back, and is then what was decided meanwhile.
        let isAway = standing.state == .leaving || standing.state == .suspended
        let present = isAway ? standing.stateBefore ?? .active : standing.state
        let state = Accounts.state(wantedBy: order)
        guard present != state else { return nil }
        if isAway {
            try await transaction.run(Accounts.Statements.SetStateBefore(account: standing.account, state: state))
        } else {
            try await setState(of: standing.account, to: state, in: transaction)
        }
        return (["state": present.rawValue], ["state": state.rawValue])
    }

    fileprivate func setRole(
        of standing: Accounts.Standing, by order: Moderation.Order, in transaction: Transaction
    ) async throws -> Words? {
        guard let role = order.wanted["role"].flatMap(Accounts.Role.init) else {
            throw Failure.invalid("/role", .required, "is one of \(Accounts.Role.names.joined(separator: ", "))")
        }
        try order.actor.mayActOn(role)
        guard role != standing.role else { return nil }
        if standing.role == .owner { try await requireAnotherOwner(than: standing.account, in: transaction) }
        try await transaction.run(Accounts.Statements.SetRole(account: standing.account, role: role))
        return (["role": standing.role.rawValue], ["role": role.rawValue])
    }
}
