import Postgres

extension Sources {
    /// Decides whether one catalogue may be asked now, and learns from how that ended. Knows no network and no clock.
    ///
    /// Closed, it lets everything through up to `Limits.sources.inFlight` at a time. `Limits.sources.failures` failures
    /// in a row open it: nobody is let through for 30 s. Then one call may try; if that fails it rests twice as long,
    /// up to an hour, and if it succeeds all is as before. A catalogue that says how long it wants peace gets that, at
    /// once.
    struct CircuitBreaker: Sendable, Equatable {
        enum State: Sendable, Equatable {
            case closed(failures: Int)
            /// `rest` is how long this rest was.
            case open(until: Timestamp, rest: Duration)
            /// One call is trying, after a rest of `rest`.
            case trying(rest: Duration)
        }

        enum Ending: Sendable, Equatable {
            case answered
            /// It failed, and wants so much peace where it said so.
            case failed(peace: Duration?)
            /// The caller went away; nothing was learnt.
            case abandoned
        }

        private(set) var state = State.closed(failures: 0)
        private(set) var inFlight = 0

        /// True where the caller may go: it must say later how that `ended`.
        mutating func admits(at now: Timestamp) -> Bool {
            guard inFlight < Limits.sources.inFlight else { return false }
            switch state {
            case .closed: break
            case .open(let until, let rest):
                guard now >= until else { return false }
                state = .trying(rest: rest)
            case .trying: return false
            }
            inFlight += 1
            return true
        }

        mutating func ended(_ ending: Ending, at now: Timestamp) {
            inFlight -= 1
            switch (state, ending) {
            case (.closed, .answered), (.trying, .answered): state = .closed(failures: 0)
            case (.closed(let failures), .failed(let peace)):
                if let peace {
                    state = open(for: peace, at: now)
                } else if failures + 1 >= Limits.sources.failures {
                    state = open(for: .seconds(Limits.sources.restSeconds), at: now)
                } else {
                    state = .closed(failures: failures + 1)
                }
            case (.trying(let rest), .failed(let peace)): state = open(for: peace ?? rest * 2, at: now)
            case (.trying(let rest), .abandoned): state = .open(until: now, rest: rest)
            // Calls that were let through before it opened: what they learnt is known.
            case (.open, _), (.closed, .abandoned): break
            }
        }

        private func open(for rest: Duration, at now: Timestamp) -> State {
            let bounded = min(max(rest, .seconds(1)), .seconds(Limits.sources.longestRestSeconds))
            return .open(until: now + bounded, rest: bounded)
        }
    }
}
