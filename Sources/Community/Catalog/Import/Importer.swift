import Logging
import Postgres

extension Catalog {
    /// Takes a file into the catalogue, batch by batch, in constant memory.
    ///
    /// A batch of new records is taken in by several hands at once, each in a transaction of its own; then it is
    /// recorded how far the file is done. Every other batch is one transaction that also records that. So an import
    /// that was interrupted, however hard, goes on behind its last batch, or begins one anew that is there in part:
    /// what is there changes nothing. Lines that cannot be taken in are written to a file with line number and reason
    /// and never stop the rest. A finished file can be read again: nothing changes.
    package struct Importer: Sendable {
        let services: Services
        private let joining: String?

        /// - Parameter joining: A source whose books become one with those of CSV files that have their ISBNs.
        package init(_ services: Services, joining: String? = nil) {
            self.services = services
            self.joining = joining
        }

        /// How far an import is.
        package struct Progress: Sendable {
            /// Lines done, those of earlier passes among them.
            package let lines: Int64
            /// Bytes of uncompressed content done.
            package let position: Int64
            /// Bytes on disk: comparable to `position` for a file that is not compressed.
            package let size: Int64
            package let rejected: Int64
        }

        package struct Report: Sendable {
            /// Lines of the file.
            package var lines: Int64 = 0
            /// Records taken in or already known, in all passes.
            package var accepted: Int64 = 0
            package var rejected: Int64 = 0
            /// Records of types that have no place in a catalogue, in this pass.
            package var foreign: Int64 = 0
            /// What this pass did to the database.
            package var outcome = IntakeOutcome()
            /// Values dropped or cut in this pass, by reason: `bad_isbn`, `bad_date`, `cut`, …
            package var notes: [String: Int64] = [:]
            /// Books that became one, in this pass, with one that was here from the source to join.
            package var joined: Int64 = 0
            /// The line behind which this pass began; 0 for one from the start.
            package var resumedAfter: Int64 = 0
        }

        /// Imports the file at `path`; refused lines go to `rejectsPath`, which is made when the first one comes.
        ///
        /// Throws `Reject` where the file is not of this format or damaged, `Failure.conflict` where another process is
        /// importing the same file, and what reading and the database throw. What was done before stays done.
        package func run(
            _ path: String, format: ImportFormat, rejectsPath: String, progress: @Sendable (Progress) -> Void = { _ in }
        ) async throws -> Report {
            guard hands > 1 else {
                return try await run(path, format, rejectsPath, turns: nil, progress)
            }
            return try await services.database.session { turns in
                try await turns.run(WaitForTurns())
                return try await run(path, format, rejectsPath, turns: turns, progress)
            }
        }

        /// Transactions that take in one batch together, as far as the pool has connections beside the one for turns.
        private var hands: Int { min(3, services.database.settings.exclusiveConnections - 1) }

        /// Without a connection to take turns on each batch is one transaction.
        private func run(
            _ path: String, _ format: ImportFormat, _ rejectsPath: String, turns: HeldConnection?,
            _ progress: @Sendable (Progress) -> Void
        ) async throws -> Report {
            let file = try FileIdentity(path)
            var run = try await begin(path, format: format, file: file)
            var report = Report(resumedAfter: run.line)
            let reader = try BatchReader(path, format: format, from: run.position, line: run.line)
            let joined = try await sourceToJoin(format)

            var next = try await reader.next()
            // Behind the first batch: a file of another format leaves everything as it was.
            var rejects = try RejectsFile(rejectsPath, keeping: run.rejectsBytes)
            while var batch = next {
                async let following = reader.next()
                if let joined {
                    let (new, known) = try await join(&batch.entries, to: joined)
                    report.joined += new
                    report.outcome.unchanged += known * 2
                }
                run.rejectsBytes = try rejects.append(batch.rejects)
                let from = run.position
                run.position = batch.position
                run.line = batch.line
                run.accepted += batch.accepted
                run.rejected += Int64(batch.rejects.count)
                report.outcome += try await take(batch, run: run, from: from, turns)
                report.foreign += batch.foreign
                report.notes = batch.notes
                progress(Progress(lines: run.line, position: run.position, size: file.size, rejected: run.rejected))
                next = try await following
            }
            try await services.database.run(FinishRun(id: run.id, at: services.clock.now()))
            report.lines = run.line
            report.accepted = run.accepted
            report.rejected = run.rejected
            return report
        }

        /// The source to join, where it has books that this file might hold.
        private func sourceToJoin(_ format: ImportFormat) async throws -> String? {
            guard case .csv(let mapping, _) = format, let joining, joining != mapping.source else { return nil }
            return try await services.database.one(Catalog.HasBooksOf(source: joining)) ? joining : nil
        }

        private func begin(_ path: String, format: ImportFormat, file: FileIdentity) async throws -> Run {
            if let run = try await services.database.first(FindRun(format: format.name, file: file)) { return run }
            let name = path.split(separator: "/").last.map(String.init) ?? path
            let id = try await services.database.one(
                StartRun(
                    id: try services.ids.make(), format: format.name, fileName: name.clipped(to: 300).text ?? "",
                    file: file, at: services.clock.now()))
            return Run(id: id, position: 0, line: 0, accepted: 0, rejected: 0, rejectsBytes: 0)
        }

        private func take(
            _ batch: ImportBatch, run: Run, from: Int64, _ turns: HeldConnection?
        ) async throws -> IntakeOutcome {
            if let turns, let outcome = try await takeInParts(batch.entries, run, from: from, turns) { return outcome }
            return try await services.database.transaction { transaction in
                var intake = Intake(transaction: transaction, services: services)
                let outcome = try await intake.apply(batch.entries)
                try await advance(run, from: from, in: transaction)
                return outcome
            }
        }

        /// `nil` where the batch cannot be divided; nothing was done then.
        ///
        /// Parts are there before the run says so. So it is looked at first, within the turn, whether the run still
        /// stands where this process thinks: one that slept must not put older content over what another has taken in
        /// meanwhile.
        private func takeInParts(
            _ entries: Entries, _ run: Run, from: Int64, _ turns: HeldConnection
        ) async throws -> IntakeOutcome? {
            guard entries.redirects.isEmpty, entries.deletions.isEmpty else { return nil }
            try await turns.run(TakeImportTurn())
            let divided = try await services.database.transaction { transaction in
                guard try await transaction.first(FindStanding(run: run.id, position: from)) != nil else {
                    throw Self.conflict
                }
                var intake = Intake(transaction: transaction, services: services)
                return try await intake.divide(entries, among: hands)
            }
            var outcome: IntakeOutcome?
            if let divided {
                outcome = try await take(divided)
                try await advance(run, from: from, in: services.database)
            }
            try await turns.run(EndImportTurn())
            return outcome
        }

        private func take(_ divided: Intake.Parts) async throws -> IntakeOutcome {
            try await withThrowingTaskGroup(of: IntakeOutcome.self) { group in
                for part in divided.parts {
                    group.addTask {
                        try await services.database.transaction { transaction in
                            var intake = divided.known.continued(in: transaction)
                            return try await intake.apply(part)
                        }
                    }
                }
                return try await group.reduce(into: divided.known.outcome) { $0 += $1 }
            }
        }

        private func advance(_ run: Run, from: Int64, in queryable: some Queryable) async throws {
            let advanced = try await queryable.run(AdvanceRun(from: from, run: run, at: services.clock.now()))
            guard advanced == 1 else { throw Self.conflict }
        }

        private static var conflict: Failure {
            .conflict(code: .importRunning, "another process is importing the same file")
        }
    }
}
