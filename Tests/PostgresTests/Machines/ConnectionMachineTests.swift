import Testing

@testable import Postgres

/// A connection's decisions, without a socket.
@Suite struct ConnectionMachineTests {
    private let plan = Plan(index: 0, label: "test.one", sql: "select 1", types: [])
    private let other = Plan(index: 1, label: "test.two", sql: "select 2", types: [])

    private func request(_ plans: Plan..., isAutocommit: Bool = true) -> Request {
        let statements = plans.map { BoundStatement(plan: $0, parameters: Parameters()) }
        return Request(
            .statements(first: statements[0], rest: Array(statements.dropFirst())), isAutocommit: isAutocommit)
    }

    private func name(_ sending: ConnectionMachine.Sending) -> String {
        switch sending {
        case .hold: "hold"
        case .plain: "plain"
        case .pipeline(let toPrepare, let stale): "prepare \(toPrepare) stale \(stale)"
        }
    }

    private func name(_ action: ConnectionMachine.Action) -> String {
        switch action {
        case .nothing: "nothing"
        case .keep: "keep"
        case .startCopy: "copy"
        case .succeed: "succeed"
        case .fail(_, let error): "fail " + (error.sqlState?.rawValue ?? error.code.rawValue)
        case .resubmit: "resubmit"
        }
    }

    private func received(_ machine: inout ConnectionMachine, _ events: ConnectionMachine.Event...) -> [String] {
        events.map { name(machine.received($0)) }.filter { $0 != "nothing" }
    }

    private func failure(_ state: String) -> ConnectionMachine.Event {
        .failure(PostgresError(.server, sqlState: SQLState(rawValue: state)))
    }

    @Test func `a statement is prepared once, and its outcome is known at the sync point only`() {
        var machine = ConnectionMachine()
        equal(name(machine.submit(request(plan))), "prepare [0] stale []")
        equal(name(machine.submit(request(plan))), "prepare [] stale []")
        equal(received(&machine, .success, .separator), [])
        equal(received(&machine, .success, .separator), ["keep"])
        equal(received(&machine, .sync), ["succeed"])
        equal(received(&machine, .success, .separator, .sync), ["keep", "succeed"])
        #expect(machine.isIdle)
    }

    @Test func `an error between the last result and the sync point is the request's`() {
        var machine = ConnectionMachine()
        _ = machine.submit(request(plan))
        _ = received(&machine, .success, .separator, .success, .separator)
        equal(received(&machine, failure("23503"), .separator, .sync), ["fail 23503"])
    }

    @Test func `a failed preparation is made again, and who relied on it runs again`() {
        var machine = ConnectionMachine()
        _ = machine.submit(request(plan))
        _ = machine.submit(request(plan))
        equal(received(&machine, failure("42601"), .separator, .skipped, .separator, .sync), ["fail 42601"])
        equal(received(&machine, failure("26000"), .separator, .sync), ["resubmit"])
        equal(name(machine.submit(request(plan))), "prepare [0] stale []")
    }

    @Test func `in a request of several statements one failure fails all`() {
        var machine = ConnectionMachine()
        equal(name(machine.submit(request(plan, other))), "prepare [0, 1] stale []")
        let actions = received(
            &machine, .success, .separator, .success, .separator, failure("22012"), .separator, .skipped, .separator,
            .sync)
        #expect(actions == ["keep", "fail 22012"])
        equal(name(machine.submit(request(plan, other))), "prepare [1] stale []")
    }

    @Test func `a statement whose columns changed is deallocated, prepared anew and run again`() {
        var machine = ConnectionMachine()
        _ = machine.submit(request(plan))
        _ = received(&machine, .success, .separator, .success, .separator, .sync)
        var error = PostgresError(.server, sqlState: SQLState(rawValue: "0A000"))
        error.routine = "RevalidateCachedQuery"
        _ = machine.submit(request(plan))
        equal(received(&machine, .failure(error), .separator, .sync), ["resubmit"])
        equal(name(machine.submit(request(plan))), "prepare [0] stale [0]")
        let actions = received(
            &machine, .success, .separator, .success, .separator, .success, .separator, .sync)
        #expect(actions == ["keep", "succeed"])
    }

    @Test func `a cancelled statement is the abandoned one's alone: who was hit instead runs again`() {
        var machine = ConnectionMachine()
        let abandoned = request(plan)
        _ = machine.submit(abandoned)
        _ = machine.submit(request(plan))
        equal(machine.beginCancelling(), false)
        abandoned.abandoned = .deadlineExceeded
        equal(machine.beginCancelling(), true)
        equal(machine.beginCancelling(), false)
        equal(name(machine.submit(request(plan))), "hold")
        _ = received(&machine, .success, .separator, .success, .separator, .sync)
        equal(received(&machine, failure("57014"), .separator, .sync), ["resubmit"])
        equal(machine.next() == nil, true)
        machine.cancelReturned()
        equal(machine.next().map { name($0.1) }, "prepare [] stale []")
        equal(received(&machine, failure("57014"), .separator, .sync), ["fail 57014"])
    }

    @Test func `inside a transaction nothing runs again by itself`() {
        var machine = ConnectionMachine()
        _ = machine.submit(request(plan, isAutocommit: false))
        equal(received(&machine, failure("26000"), .separator, .sync), ["fail 26000"])
    }

    @Test func `a script waits until the pipeline is empty, and the pipeline until the script has ended`() {
        var machine = ConnectionMachine()
        _ = machine.submit(request(plan))
        equal(name(machine.submit(Request(.script("select 1")))), "hold")
        equal(name(machine.submit(request(plan))), "hold")
        equal(machine.next() == nil, true)
        _ = received(&machine, .success, .separator, .success, .separator, .sync)
        equal(machine.next().map { name($0.1) }, "plain")
        equal(machine.next() == nil, true)
        equal(received(&machine, .success, .separator), ["succeed"])
        equal(machine.next().map { name($0.1) }, "prepare [] stale []")
    }

    @Test func `a read-only server spends the connection`() {
        var machine = ConnectionMachine()
        _ = machine.submit(request(plan))
        _ = received(&machine, .success, .separator, failure("25006"), .separator, .sync)
        #expect(machine.isSpent)
    }

    @Test func `a lost connection gives back all who waited, sent or held`() {
        var machine = ConnectionMachine()
        _ = machine.submit(request(plan))
        _ = machine.submit(Request(.script("select 1")))
        equal(machine.lose().count, 2)
        #expect(machine.isIdle)
    }
}
