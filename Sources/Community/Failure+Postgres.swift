import Postgres

extension Failure {
    /// Runs `body`, in which the database is the judge: the violation of a constraint named in `constraints` becomes the failure that
    /// it stands for; every other error passes.
    ///
    /// Inside a transaction the violation has already aborted it: put this around the whole `transaction`, not around one statement.
    package static func mapping<Result>(
        _ constraints: KeyValuePairs<String, Failure>, _ body: () async throws -> Result
    ) async throws -> Result {
        do {
            return try await body()
        } catch let error as PostgresError {
            guard let name = error.constraint, let failure = constraints.first(where: { $0.key == name })?.value else {
                throw error
            }
            throw failure
        }
    }
}
