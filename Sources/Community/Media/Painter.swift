import FoundationEssentials
import Glibc
import Postgres
import Synchronization

extension Media {
    /// Draws covers for editions that have none: title and author on a plate whose colours follow from them.
    ///
    /// What is drawn lies in a folder, named by a digest of what it was drawn from, so that it is drawn once and a
    /// corrected title is another cover; the folder holds about 20,000 covers, then the oldest go. Drawing happens on a
    /// thread of its own, one cover at a time. A few callers wait for theirs; the others get the plain plate at once,
    /// while theirs is drawn for the next who asks. Where libvips is missing the plate is all there is, and what cannot
    /// be drawn or kept stays a plate for an hour before it is tried again.
    package final class Painter: Sendable {
        private let converter: Converter?
        private let folder: String
        private let clock: any WallClock
        private let report: @Sendable (any Error) -> Void
        private let pool = WorkPool("covers", threads: 1, queue: Limits.media.drawingQueue)
        private let state = Mutex(State())

        private struct State {
            /// What is being drawn or waits to be.
            var pending: Set<Hash> = []
            /// Callers that wait.
            var waiting = 0
            /// What could not be drawn, and when it may be tried again.
            var undrawable: [Hash: Timestamp] = [:]

            /// Whether it is not to be tried now.
            func rests(_ digest: Hash, at now: Timestamp) -> Bool { undrawable[digest].map { now < $0 } ?? false }

            mutating func failed(_ digest: Hash, at now: Timestamp) {
                if undrawable.count >= Limits.media.undrawable { undrawable = undrawable.filter { now < $0.value } }
                if undrawable.count >= Limits.media.undrawable { undrawable.removeAll() }
                undrawable[digest] = now + Limits.media.undrawableTime
            }
        }

        /// `report` is told what goes wrong on the way: a full disk, a font that is missing.
        init(
            converter: Converter?, folder: String, clock: any WallClock, report: @escaping @Sendable (any Error) -> Void
        ) {
            self.converter = converter
            self.folder = folder
            self.clock = clock
            self.report = report
        }

        /// A PNG of `design`, `width` pixels wide and half as high again.
        ///
        /// `isFinal` is false for a plate that stands in for what is still being drawn.
        package func cover(_ design: CoverDesign, width: Int) async -> (bytes: [UInt8], isFinal: Bool) {
            let digest = design.digest(width: width)
            if let bytes = await read(digest) { return (bytes, true) }
            let plate = CoverPlate(design, width: width)
            let now = clock.now()
            guard let converter, design.hasText, !state.withLock({ $0.rests(digest, at: now) }) else {
                return (plate.png(), true)
            }
            let (isMine, waits) = state.withLock { state in
                guard state.pending.insert(digest).inserted else { return (false, false) }
                let waits = state.waiting < Limits.media.drawingWaiters
                if waits { state.waiting += 1 }
                return (true, waits)
            }
            guard isMine else { return (plate.png(), false) }
            let draw: @Sendable () -> [UInt8]? = { [self] in
                defer { state.withLock { _ = $0.pending.remove(digest) } }
                return paint(design, plate, width, as: digest, with: converter)
            }
            if waits {
                let drawn = try? await pool.run(draw)
                state.withLock { $0.waiting -= 1 }
                if let drawn, let drawn { return (drawn, true) }
                state.withLock { _ = $0.pending.remove(digest) }
            } else if !pool.start({ _ = draw() }) {
                state.withLock { _ = $0.pending.remove(digest) }
            }
            return (plate.png(), false)
        }

        /// Draws and keeps it; `nil` where it cannot be drawn.
        private func paint(
            _ design: CoverDesign, _ plate: CoverPlate, _ width: Int, as digest: Hash, with converter: Converter
        ) -> [UInt8]? {
            var drawn: [UInt8]?
            do {
                let box = plate.textBox(for: design)
                var plate = plate
                plate.place(try converter.text(design.markup, width: box.width, height: box.height))
                let bytes = plate.png()
                drawn = bytes
                try keep(bytes, as: digest)
            } catch {
                // A title of characters without ink, a full disk: the next who asks would fare no better.
                let now = clock.now()
                state.withLock { $0.failed(digest, at: now) }
                report(error)
            }
            return drawn
        }

        private func path(_ digest: Hash) -> (folder: String, file: String) {
            let folder = folder + "/" + digest.text.prefix(2)
            return (folder, folder + "/" + digest.text + ".png")
        }

        private func read(_ digest: Hash) async -> [UInt8]? {
            let path = path(digest).file
            do {
                return try await FileThreads.run { FileManager.default.contents(atPath: path).map { [UInt8]($0) } }
            } catch {
                report(error)
                return nil
            }
        }

        private func keep(_ bytes: [UInt8], as digest: Hash) throws {
            let files = FileManager.default
            let (folder, file) = path(digest)
            try files.createDirectory(
                atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            try DurableFile.write(bytes, to: file)
            let names = try files.contentsOfDirectory(atPath: folder)
            guard names.count > Limits.media.drawn / 256 else { return }
            let dated = names.map { name in
                let path = folder + "/" + name
                let date = (try? files.attributesOfItem(atPath: path))?[.modificationDate] as? Date
                return (path: path, date: date ?? .distantPast)
            }
            for old in dated.sorted(by: { $0.date < $1.date }).prefix(names.count - Limits.media.drawn / 256) {
                unlink(old.path)
            }
        }
    }
}
