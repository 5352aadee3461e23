import Postgres
import TestSupport
import Testing

@testable import Community

/// When another catalogue is asked, and when it is left in peace. No network, no clock.
@Suite struct CircuitBreakerTests {
    private let start = Timestamp(seconds: 1_000_000)

    private func open() -> Sources.CircuitBreaker {
        var breaker = Sources.CircuitBreaker()
        for _ in 0..<Limits.sources.failures {
            _ = breaker.admits(at: start)
            breaker.ended(.failed(peace: nil), at: start)
        }
        return breaker
    }

    @Test func `failures in a row open it, an answer between them starts the count anew`() {
        var breaker = Sources.CircuitBreaker()
        for round in 0..<2 {
            for _ in 1..<Limits.sources.failures {
                #expect(breaker.admits(at: start) == true)
                breaker.ended(.failed(peace: nil), at: start)
            }
            guard round == 0 else { break }
            #expect(breaker.admits(at: start) == true)
            breaker.ended(.answered, at: start)
            #expect(breaker.state == .closed(failures: 0))
        }
        #expect(breaker.admits(at: start) == true)
        breaker.ended(.failed(peace: nil), at: start)
        #expect(breaker.state == .open(until: start + .seconds(30), rest: .seconds(30)))
        #expect(breaker.admits(at: start + .seconds(29)) == false)
    }

    @Test func `after the rest one call tries, and only one`() {
        var breaker = open()
        let later = start + .seconds(30)
        #expect(breaker.admits(at: later) == true)
        #expect(breaker.admits(at: later) == false)
        breaker.ended(.answered, at: later)
        #expect(breaker.state == .closed(failures: 0))
        #expect(breaker.admits(at: later) == true)
    }

    @Test func `a failed try doubles the rest, up to an hour`() {
        var breaker = open()
        var now = start
        var rests: [Duration] = []
        for _ in 0..<10 {
            guard case .open(let until, let rest) = breaker.state else {
                Issue.record("not open")
                return
            }
            rests.append(rest)
            now = until
            #expect(breaker.admits(at: now) == true)
            breaker.ended(.failed(peace: nil), at: now)
        }
        #expect(rests.prefix(4) == [.seconds(30), .seconds(60), .seconds(120), .seconds(240)])
        #expect(rests.last == .seconds(3600))
    }

    @Test func `a catalogue that says how long it wants peace gets it, within bounds`() {
        for (asked, given) in [(120, 120), (0, 1), (1_000_000, 3600)] as [(Int64, Int64)] {
            var breaker = Sources.CircuitBreaker()
            #expect(breaker.admits(at: start) == true)
            breaker.ended(.failed(peace: .seconds(asked)), at: start)
            #expect(breaker.state == .open(until: start + .seconds(given), rest: .seconds(given)))
        }
    }

    @Test func `a call that was given up teaches nothing, and the next may try`() {
        var breaker = open()
        let later = start + .seconds(31)
        #expect(breaker.admits(at: later) == true)
        breaker.ended(.abandoned, at: later)
        #expect(breaker.admits(at: later) == true)
        #expect(breaker.inFlight == 1)
    }

    @Test func `no more go at a time than the limit, and late failures change nothing`() {
        var breaker = Sources.CircuitBreaker()
        for _ in 2..<Limits.sources.failures {
            _ = breaker.admits(at: start)
            breaker.ended(.failed(peace: nil), at: start)
        }
        for _ in 0..<Limits.sources.inFlight { #expect(breaker.admits(at: start) == true) }
        #expect(breaker.admits(at: start) == false)
        for _ in 0..<2 { breaker.ended(.failed(peace: nil), at: start) }
        let opened = breaker.state
        #expect(opened == .open(until: start + .seconds(30), rest: .seconds(30)))
        breaker.ended(.failed(peace: nil), at: start + .seconds(5))
        breaker.ended(.answered, at: start + .seconds(5))
        #expect(breaker.state == opened && breaker.inFlight == 0)
    }
}
