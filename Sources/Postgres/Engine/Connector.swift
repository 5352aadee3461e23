import CLibpq
import Glibc

/// A connection on its way from the thread that made it to the I/O thread.
struct ConnectionHandle: @unchecked Sendable {  // Guard: handed over once, through the inbox.
    let pointer: OpaquePointer
}

/// Makes connections. Blocking, so on a thread of its own: libpq resolves names, tries several hosts, negotiates TLS and checks
/// `target_session_attrs` in one call, and only the blocking form honours `connect_timeout`.
struct Connector: Sendable {
    let settings: DatabaseSettings

    /// Connects, sets the connection up and puts it in non-blocking pipeline mode.
    func connect() throws(PostgresError) -> ConnectionHandle {
        // What stands before `dbname` may be overridden by the connection string, what stands after it overrides.
        let options: [(String, String)] = [
            ("connect_timeout", "3"),
            ("tcp_user_timeout", "10000"),
            ("fallback_application_name", settings.applicationName),
            ("dbname", settings.conninfo),
            ("client_encoding", "UTF8"),
        ]
        let connection = withCStrings(options.map(\.0)) { keywords in
            withCStrings(options.map(\.1)) { values in PQconnectdbParams(keywords, values, 1) }
        }
        guard let connection else { throw PostgresError(.connectionFailed, message: "out of memory") }
        do throws(PostgresError) {
            guard PQstatus(connection) == CONNECTION_OK else {
                throw PostgresError(.connectionFailed, message: String(cString: PQerrorMessage(connection)))
            }
            try configure(connection)
            guard PQsetnonblocking(connection, 1) == 0, PQenterPipelineMode(connection) == 1 else {
                throw PostgresError(.connectionFailed, message: String(cString: PQerrorMessage(connection)))
            }
        } catch {
            PQfinish(connection)
            throw error
        }
        // Notices are the server's small talk; errors come as results.
        PQsetNoticeProcessor(connection, { _, _ in }, nil)
        return ConnectionHandle(pointer: connection)
    }

    /// Sets this connection's limits, leaves nothing to compile (Postgres's default costs a statement that it misjudges a hundred times what it
    /// saves, and statements here are short), and reads the settings on which acknowledged writes depend.
    private func configure(_ connection: OpaquePointer) throws(PostgresError) {
        let sql = """
            select set_config('statement_timeout', '\(settings.statementTimeout.wholeMilliseconds)', false),
                   set_config('lock_timeout', '\(settings.lockTimeout.wholeMilliseconds)', false),
                   set_config('idle_in_transaction_session_timeout',
                              '\(settings.idleInTransactionTimeout.wholeMilliseconds)', false),
                   set_config('client_connection_check_interval', '2000', false),
                   set_config('jit', 'off', false),
                   current_setting('fsync'), current_setting('full_page_writes'), current_setting('synchronous_commit')
            """
        let result = try answer(to: sql, on: connection)
        defer { PQclear(result) }
        guard PQresultStatus(result) == PGRES_TUPLES_OK else {
            let refusal = Results.error(result)
            throw PostgresError(.connectionFailed, sqlState: refusal.sqlState, message: refusal.message)
        }
        guard settings.requiresDurability else { return }
        for (column, name) in [(5, "fsync"), (6, "full_page_writes"), (7, "synchronous_commit")] as [(Int32, String)]
        where String(cString: PQgetvalue(result, 0, column)) == "off" {
            throw PostgresError(.unsafeSettings, message: "\(name) is off: acknowledged writes could be lost")
        }
    }

    /// The result of one statement. Throws `.connectionFailed` where it does not come in 3 s: `connect_timeout` ends with the log-in, and a
    /// server may stop right behind it.
    private func answer(to sql: String, on connection: OpaquePointer) throws(PostgresError) -> OpaquePointer {
        let deadline = ContinuousClock.now + .seconds(3)
        var result: OpaquePointer?
        var isReadable = PQsendQuery(connection, sql) == 1
        while isReadable {
            if PQisBusy(connection) == 1 {
                var socket = pollfd(fd: PQsocket(connection), events: Int16(POLLIN), revents: 0)
                // A signal may end a wait early.
                guard poll(&socket, 1, Int32(max(.zero, deadline - .now).wholeMilliseconds)) != 0 else {
                    PQclear(result)
                    throw PostgresError(
                        .connectionFailed, message: "the server said nothing after the log-in: timeout expired")
                }
                if socket.revents != 0 { isReadable = PQconsumeInput(connection) == 1 }
            } else if let next = PQgetResult(connection) {
                PQclear(result)
                result = next
            } else {
                break
            }
        }
        guard let result else {
            throw PostgresError(.connectionFailed, message: String(cString: PQerrorMessage(connection)))
        }
        return result
    }

    private func withCStrings<Result>(
        _ strings: [String], _ body: (UnsafePointer<UnsafePointer<CChar>?>?) -> Result
    ) -> Result {
        let copies = strings.map { strdup($0) }
        defer { for copy in copies { free(copy) } }
        let pointers = copies.map { UnsafePointer<CChar>($0) } + [nil]
        return pointers.withUnsafeBufferPointer { body($0.baseAddress) }
    }
}

extension Duration {
    /// Rounded towards zero.
    var wholeMilliseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds * 1000 + attoseconds / 1_000_000_000_000_000
    }
}
