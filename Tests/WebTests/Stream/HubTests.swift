import Community
import TestSupport
import Testing

@testable import Web

@Suite(.database)
struct HubTests {
    /// Ten sockets of five readers, and event streams of three. They follow and leave, are cut and come back with their cursors, while readers review and take back,
    /// write posts, edit and lose them, read on, befriend and part, block and unblock; nothing waits for anything. The whole of hub, session and socket is between act and frame.
    @Test(.requirement("TRE-6"), .timeLimit(.minutes(ProofCount.minutes)))
    func `whatever readers do, each socket has what is theirs to see, all of it, once and in order`() async throws {
        try await withStream(
            limits: {
                // A test says more in a second than a person does.
                $0.messagesPerSecond = 100_000
                $0.messageBurst = 100_000
                // These clients do not answer pings.
                $0.heartbeat = 3_600
                $0.replay = 100_000
            },
            settings: {
                $0.limitsRates = false
                $0.newAccountHours = 0
            }
        ) { stream in
            let random = TestRandom(for: "hub")
            let programme = try await HubProgramme(stream, random: random)
            for round in 0..<ProofCount.of(200) {
                let wrongs = try await programme.run(steps: 60)
                guard wrongs.isEmpty else {
                    Issue.record(
                        "round \(round) of seed \(TestRandom.seed): \(wrongs.count) wrong: \(wrongs.prefix(5))")
                    break
                }
            }
            #expect(programme.judged > ProofCount.of(200) * 100, "the programme did little")
            print("hub proof: \(programme.judged) deliveries judged, seed \(TestRandom.seed)")
            await programme.close()
            try await eventually { await stream.hub.isEmpty }
        }
    }
}
