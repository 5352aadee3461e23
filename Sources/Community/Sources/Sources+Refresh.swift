import Postgres

extension Sources.Store {
    /// Reads again what is due, at most `Limits.sources.refreshed` records of each catalogue, one after the other.
    /// Gives how many were read.
    ///
    /// A catalogue that fails ends its turn: its records stay due and are tried at the next run.
    package func refresh() async throws -> Int {
        var count = 0
        for lane in lanes {
            let due = try await services.database.all(
                Sources.DueRecords(source: lane.source.name, now: services.clock.now(), limit: Limits.sources.refreshed)
            )
            for key in due {
                guard try await refresh(key, lane) else { break }
                count += 1
            }
        }
        return count
    }

    /// False where the catalogue gives no answer.
    private func refresh(_ key: String, _ lane: Sources.Lane) async throws -> Bool {
        let record: Sources.Record?
        do {
            record = try await lane.call(found: { $0 != nil }) { try await $0.book(key) }
        } catch let trouble as Sources.Trouble {
            // What this one record says cannot be read: the others may.
            guard case .unreadable = trouble else { return false }
            try await postpone(key)
            return true
        }
        let now = services.clock.now()
        guard let record else {
            try await postpone(key, misses: 1)
            return true
        }
        try await services.database.transaction { transaction in
            guard let adopted = try await catalog.adopt([record.find]).first else { return }
            try await put(record, as: adopted.edition, at: now, in: transaction)
        }
        return true
    }

    private func postpone(_ key: String, misses: Int = 0) async throws {
        try await services.database.run(
            Sources.PostponeRecord(key: key, until: due(key, services.clock.now()), misses: misses))
    }

    /// Answers a question from the background. Throws `Trouble` where nobody answered, so that it is asked again.
    package func answer(_ isbn: ISBN) async throws {
        let question = Sources.Question.isbn(isbn)
        guard isOn, try await catalog.books(of: [isbn]).isEmpty else { return }
        let hearing = try await hear(question)
        _ = try await keep(hearing, question)
        if hearing.records.isEmpty, !hearing.isSilence { throw Sources.Trouble.unreachable }
    }

    /// Forgets silences that are over, 10,000 at a time.
    package func sweep() async throws {
        let now = services.clock.now()
        let batch = 10_000
        while try await services.database.run(Sources.SweepSilences(now: now, limit: batch)) == batch {}
    }
}
