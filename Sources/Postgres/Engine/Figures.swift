import Metrics

/// What the pool tells the metrics system. Counted on the I/O thread and passed on at most ten times a second.
struct Figures {
    var statements = 0
    var cancellations = 0
    var lostConnections = 0
    var failedConnections = 0

    private let statementCounter: Counter
    private let cancellationCounter: Counter
    private let lostCounter: Counter
    private let failedCounter: Counter
    private let connectionGauge: Gauge
    private let busyGauge: Gauge
    private let waitingGauge: Gauge
    private var reported = ContinuousClock.now

    init(pool: String) {
        let dimensions = [("pool", pool)]
        statementCounter = Counter(label: "postgres_requests_total", dimensions: dimensions)
        cancellationCounter = Counter(label: "postgres_cancellations_total", dimensions: dimensions)
        lostCounter = Counter(label: "postgres_connections_lost_total", dimensions: dimensions)
        failedCounter = Counter(label: "postgres_connections_failed_total", dimensions: dimensions)
        connectionGauge = Gauge(label: "postgres_connections", dimensions: dimensions)
        busyGauge = Gauge(label: "postgres_connections_leased", dimensions: dimensions)
        waitingGauge = Gauge(label: "postgres_waiting_callers", dimensions: dimensions)
    }

    mutating func report(_ pool: borrowing PoolMachine, now: ContinuousClock.Instant) {
        guard now - reported >= .milliseconds(100) else { return }
        reported = now
        Figures.pass(&statements, to: statementCounter)
        Figures.pass(&cancellations, to: cancellationCounter)
        Figures.pass(&lostConnections, to: lostCounter)
        Figures.pass(&failedConnections, to: failedCounter)
        connectionGauge.record(pool.slots.count { $0.phase == .ready || $0.phase == .leased })
        busyGauge.record(pool.slots.count { $0.phase == .leased })
        waitingGauge.record(pool.waitingCount)
    }

    private static func pass(_ count: inout Int, to counter: Counter) {
        guard count > 0 else { return }
        counter.increment(by: count)
        count = 0
    }
}
