import Metrics
import NIOCore
import Synchronization

extension EventStream {
    /// Ticks the sockets of one event loop, each every `Limits.tickSeconds`: one timer for all of them. Used on its loop alone.
    final class Ticker {
        /// Turns of a round: sockets are spread over them, so that no tick holds the loop up for long.
        private static let turns = 50

        private let pause: TimeAmount
        private let report: (Backlog) -> Void
        /// Of this round so far.
        private var backlog = Backlog()
        private var rounds: [[any Listener]] = Array(repeating: [], count: turns)
        private var turn = 0
        private var count = 0
        private var timer: Scheduled<Void>?

        /// `report` is told after each round what waited for the sockets.
        init(seconds: Int, report: @escaping (Backlog) -> Void) {
            pause = .milliseconds(Int64(seconds) * 1000 / Int64(Self.turns))
            self.report = report
        }

        /// Gives the socket's turn, by which it is removed. Its first tick comes within a round: sockets that are added one after
        /// the other take different turns.
        func add(_ socket: any Listener, on loop: any EventLoop) -> Int {
            let place = (turn + Self.turns - 1 - count % Self.turns) % Self.turns
            rounds[place].append(socket)
            count += 1
            if timer == nil { schedule(on: loop) }
            return place
        }

        func remove(_ socket: any Listener, from turn: Int) {
            guard let place = rounds[turn].firstIndex(where: { $0 === socket }) else { return }
            rounds[turn].swapAt(place, rounds[turn].count - 1)
            rounds[turn].removeLast()
            count -= 1
            guard count == 0 else { return }
            timer?.cancel()
            timer = nil
            backlog = Backlog()
            report(backlog)
        }

        private func schedule(on loop: any EventLoop) {
            timer = loop.assumeIsolated().scheduleTask(in: pause) {
                self.timer = nil
                // Some may close, and go, meanwhile.
                var backlog = self.backlog
                for socket in self.rounds[self.turn] { socket.tick(&backlog) }
                self.backlog = self.count == 0 ? Backlog() : backlog
                self.turn = (self.turn + 1) % Self.turns
                if self.turn == 0 || self.count == 0 {
                    self.report(self.backlog)
                    self.backlog = Backlog()
                }
                if self.count > 0, self.timer == nil { self.schedule(on: loop) }
            }
        }
    }

    /// The tickers of a process, one for each event loop, and the figures of what waits for all its sockets.
    final class Tickers: Sendable {
        private struct State {
            var tickers: [ObjectIdentifier: NIOLoopBound<Ticker>] = [:]
            var backlogs: [ObjectIdentifier: Backlog] = [:]
        }

        private let seconds: Int
        private let state = Mutex(State())
        private let usual = Gauge(label: "commonplace_stream_queue_bytes", dimensions: [("quantile", "0.99")])
        private let largest = Gauge(label: "commonplace_stream_queue_bytes", dimensions: [("quantile", "1")])
        private let behind = Gauge(label: "commonplace_stream_behind")

        init(seconds: Int) { self.seconds = seconds }

        /// To be called on `loop`.
        func ticker(of loop: any EventLoop) -> Ticker {
            let id = ObjectIdentifier(loop)
            return state.withLock { state in
                if let ticker = state.tickers[id] { return ticker }
                let ticker = Ticker(seconds: seconds) { [weak self] in self?.report($0, of: id) }
                let bound = NIOLoopBound(ticker, eventLoop: loop)
                state.tickers[id] = bound
                return bound
            }.value
        }

        private func report(_ backlog: Backlog, of loop: ObjectIdentifier) {
            let all = state.withLock { state in
                state.backlogs[loop] = backlog
                return state.backlogs.values.reduce(into: Backlog()) { $0.add($1) }
            }
            usual.record(all.bytes(0.99))
            largest.record(all.bytes(1))
            behind.record(all.behind)
        }
    }
}
