import Testing

@testable import Postgres

/// When the server counts as silent, without a socket and without a clock.
@Suite struct SilenceTests {
    private let start = ContinuousClock.now
    private func at(_ seconds: Double) -> ContinuousClock.Instant { start.advanced(by: .seconds(seconds)) }

    @Test func `where nothing comes the server is asked, and is silent if it does not answer that`() {
        var silence = Silence(now: start)
        #expect(silence.look([at(5)], now: at(5.9)) == .wait)
        #expect(silence.look([at(5)], now: at(6)) == .ask)
        for second in stride(from: 6.5, to: 8.5, by: 0.5) {
            #expect(silence.look([at(5)], now: at(second)) == .wait, "it is asked once")
        }
        #expect(silence.look([at(5)], now: at(8.5)) == .silent)
    }

    @Test func `a machine that was too busy to listen gives the server its time anew`() {
        var silence = Silence(now: start)
        #expect(silence.look([at(5)], now: at(6)) == .ask)
        #expect(silence.look([at(5)], now: at(20)) == .wait)
        for second in stride(from: 20.5, to: 22.5, by: 0.5) {
            #expect(silence.look([at(5)], now: at(second)) == .wait)
        }
        #expect(silence.look([at(5)], now: at(22.5)) == .silent)
    }

    @Test func `any sign of the server ends the suspicion`() {
        var silence = Silence(now: start)
        #expect(silence.look([at(5)], now: at(6)) == .ask)
        silence.heard(at(7))
        #expect(silence.look([at(5)], now: at(9.9)) == .wait, "the statement is one that takes long")
        #expect(silence.look([at(5)], now: at(10)) == .ask, "now and then it is asked again")
        silence.heard(at(10.1))
        #expect(silence.look([at(5), at(10.5)], now: at(11.5)) == .ask, "another, sent since, has no answer")
    }

    @Test func `where nothing is under way nobody is asked`() {
        var silence = Silence(now: start)
        #expect(silence.look([], now: at(100)) == .wait)
        #expect(silence.look([at(100)], now: at(100.5)) == .wait)
        #expect(silence.look([at(100)], now: at(101)) == .ask)
        #expect(silence.look([], now: at(102)) == .wait)
        #expect(silence.look([at(200)], now: at(200.5)) == .wait, "a suspicion of long ago is forgotten")
    }
}
