import Community

extension Accounts.Store: EventStream.SessionGate {}
