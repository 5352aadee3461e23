import Foundation
import Synchronization

@testable import Client

/// A place at the table: a reader who leaves it for good is followed by somebody new.
final class Seat: Sendable {
    private struct State {
        var account: Account
        var token: String?
        var generation = 0
        var isLeaving = false
    }

    private let number: Int
    private let password: String
    private let state: Mutex<State>

    init(_ number: Int, at server: CommonplaceClient) async throws {
        let password = UUID().uuidString
        let first = try await Self.register(number, 0, password, at: server)
        self.number = number
        self.password = password
        state = Mutex(State(account: first.account, token: first.client.token))
    }

    var token: String? { state.withLock { $0.token } }
    var username: String { state.withLock { $0.account.username } }
    var id: String { state.withLock { $0.account.id } }

    /// The password to end the account with; `nil` where another device is about to end it.
    func beginToLeave() -> String? {
        state.withLock { state in
            guard !state.isLeaving else { return nil }
            state.isLeaving = true
            return password
        }
    }

    /// Makes an account for the next one.
    func takeAgain(at server: CommonplaceClient) async throws {
        let generation = state.withLock { $0.generation + 1 }
        let next = try await Self.register(number, generation, password, at: server)
        state.withLock {
            $0 = State(account: next.account, token: next.client.token, generation: generation, isLeaving: false)
        }
    }

    private static func register(
        _ number: Int, _ generation: Int, _ password: String, at server: CommonplaceClient
    ) async throws -> SignedIn {
        let name = "reader_\(number)_\(generation)"
        return try await server.register(username: name, email: "\(name)@example.org", password: password)
    }
}
