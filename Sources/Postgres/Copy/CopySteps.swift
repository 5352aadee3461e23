/// The running COPY of one transaction, step by step: each waits until the I/O thread has done it.
struct CopySteps: Sendable {
    let database: Database
    let lease: Lease
    let request: Request

    func take(_ step: CopyStep) async throws {
        guard let inbox = database.engine?.inbox else { throw PostgresError(.closed) }
        try await withTaskCancellationHandler {
            try await request.wait(posting: .copy(step, request, lease), to: inbox)
        } onCancel: {
            inbox.post(.abandon(request, .cancelled))
        }
    }

    /// Ends the COPY without its data, whatever has happened to it, and waits until the server has ended it.
    func abort() async {
        guard let inbox = database.engine?.inbox else { return }
        try? await request.wait(posting: .copy(.abort, request, lease), to: inbox)
    }
}
