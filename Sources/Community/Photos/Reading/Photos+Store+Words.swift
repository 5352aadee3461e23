import EventLog
import Jobs
import Postgres

extension Photos.Store {
    /// Has the words of a photograph read, in the transaction that gave it an image.
    func readWords(of photo: ID<Photos.Photo>, in transaction: Transaction) async throws {
        guard let picture = try await transaction.first(Photos.Statements.PictureToRead(photo: photo)) else { return }
        try await Photos.ReadWords(photo: photo, picture: picture).enqueue(in: transaction)
    }

    /// Reads the words of a photograph and keeps them, with the event and the words for search, in one transaction.
    ///
    /// Comes to nothing where the photograph is gone, shows another image by now, or has words already: those that its
    /// reader says it has stay. Throws what has the job tried again.
    func read(_ job: Photos.ReadWords, _ attempt: Jobs.Attempt) async throws {
        guard
            let asked = try await services.database.first(
                Photos.Statements.ToRead(photo: job.photo, picture: job.picture))
        else { return }
        let words = try await words(in: asked, of: job)
        try await services.database.transaction { transaction in
            // The account first, as everywhere: its end takes rows in the same order.
            guard try await transaction.first(Accounts.Statements.Lock(account: asked.reader)) != nil else { return }
            try await keep(words, of: job, by: asked.reader, in: transaction)
            try await attempt.finish(in: transaction)
        }
    }

    private func words(in asked: Photos.ToBeRead, of job: Photos.ReadWords) async throws -> Photos.Words {
        guard let recognizer, case let languages = recognizer.languages(for: asked.language), !languages.isEmpty else {
            return .off
        }
        guard let bytes = try await media.facilities.store.read(asked.file) else {
            throw Failure.notFound("file of photo \(job.photo)")
        }
        do {
            let page = try await recognizer.read(bytes, in: languages)
            guard let confidence = page.confidence, confidence >= Limits.photos.leastConfidence, !page.text.isEmpty
            else {
                return .unreadable
            }
            return Photos.Words(state: .read, text: page.text, confidence: confidence)
        } catch Photos.Recognizer.Refusal.unreadable {
            return .unreadable
        }
    }

    /// Locks the photograph and writes `words`, where it still waits for those of this image.
    private func keep(
        _ words: Photos.Words, of job: Photos.ReadWords, by reader: ID<Accounts.Account>, in transaction: Transaction
    ) async throws {
        try await transaction.run(Photos.Statements.Lock(photo: job.photo, reader: reader))
        let now = services.clock.now()
        let kept = Photos.Statements.KeepWords(photo: job.photo, picture: job.picture, words: words, at: now)
        guard let work = try await transaction.first(kept) else { return }
        let own = try await transaction.one(Photos.Statements.Own(photo: job.photo, reader: reader))
        try await transaction.run(OwnWords.Put(.photo, job.photo, of: reader, in: own.work, plain: own.plain))
        guard words.state != .off else { return }
        let event = Photos.Event(photo: job.photo, work: work, state: words.state, reader: reader)
        try await EventLog.append(try event.row(services), in: transaction)
    }

    /// Has the words read of photographs that this server could not read before, and of those that wait without a job:
    /// at most `Limits.photos.takenUp` each time. Gives their number; 0 where it cannot read now either.
    func takeUpWords() async throws -> Int {
        guard let recognizer else { return 0 }
        let before = services.clock.now() - .seconds(3600)
        var taken = 0
        for asked in try await services.database.all(Photos.Statements.Unread(before: before)) {
            guard !recognizer.languages(for: asked.language).isEmpty else { continue }
            taken += try await services.database.transaction { transaction in
                let wait = Photos.Statements.Wait(photo: asked.photo, picture: asked.picture)
                guard try await transaction.run(wait) > 0 else { return 0 }
                try await Photos.ReadWords(photo: asked.photo, picture: asked.picture).enqueue(in: transaction)
                return 1
            }
        }
        return taken
    }
}
