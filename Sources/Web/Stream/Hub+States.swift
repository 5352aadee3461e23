import EventLog
import NIOCore
import Postgres

/// Topics of which only the latest counts.
extension EventStream.Hub {
    /// Turns a subscription on and sends what holds now. What changes meanwhile is offered to it already, so that nothing is missed; which of two
    /// is the later one the session knows by their versions.
    func beginState(
        _ socket: EventStream.Switchboard.SocketID, _ token: UInt64, _ name: EventStream.Name
    ) async throws -> Bool {
        guard board.isCurrent(socket, name, token: token) else { return true }
        board.turnOn(socket, name)
        ports[socket]?.opened(
            EventStream.Session.Opening(token: token, name: name, position: planned, replay: 0, reset: nil))
        guard let state = try await state(of: name), board.isCurrent(socket, name, token: token) else { return true }
        ports[socket]?.told(state.frame, of: name, version: state.version)
        return true
    }

    /// Sends what holds now to all who follow it: read once and encoded once.
    func tellState(of name: EventStream.Name) async throws {
        guard !board.followers(of: name, among: nil).isEmpty, let state = try await state(of: name) else { return }
        for (socket, _) in board.followers(of: name, among: nil) {
            ports[socket]?.told(state.frame, of: name, version: state.version)
        }
    }

    private func state(of name: EventStream.Name) async throws -> (frame: ByteBuffer, version: Int64)? {
        guard let topic = name.topic(of: 0), let state = try await log.state(of: topic) else { return nil }
        let start = "{\"type\":\"state\",\"topic\":\"\(name.text)\",\"version\":\(state.version),\"data\":"
        return (WebSocketFrames.text(Array(start.utf8) + state.data.bytes + [UInt8(ascii: "}")]), state.version)
    }
}
