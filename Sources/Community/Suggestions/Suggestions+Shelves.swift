import Neighbours

extension Suggestions {
    /// What stands on shelves that count: works by their places in the histories.
    struct Shelves: Sendable {
        /// In the order of their ids.
        let works: [Int64]
        let histories: Histories

        /// Rows to be written in parts of at most `rowsAtOnce`, or as many as one work has.
        func parts(of rows: [(item: UInt32, neighbours: [Neighbour])]) -> [Rows] {
            var parts: [Rows] = []
            for (item, neighbours) in rows {
                let room = Limits.suggestions.rowsAtOnce - neighbours.count
                if parts.last.map({ $0.works.count > room }) ?? true { parts.append(Rows()) }
                parts[parts.count - 1].append(neighbours, of: works[Int(item)], named: works)
            }
            return parts
        }
    }

    /// Readers and the listed works on their shelves, as they are read from there, by reader.
    struct Pairs: Sendable {
        private let works: [Int64]
        /// Where each work stands in `works`.
        private let places: [Int64: UInt32]
        /// Readers of each work.
        private var counts: [UInt32]
        /// All readers' works behind each other, and where each reader's begin.
        private var items: [UInt32] = []
        private var starts: [Int] = []
        private var reader: Int64?

        /// `works` ascend.
        init(of works: [Int64]) {
            self.works = works
            places = Dictionary(uniqueKeysWithValues: zip(works, 0...))
            counts = [UInt32](repeating: 0, count: works.count)
        }

        var readerCount: Int { starts.count }

        /// Adds works of a reader: another one than before, or more of the same. Those that are not listed are left out.
        mutating func add(_ works: [Int64], of reader: Int64) {
            if reader != self.reader { starts.append(items.count) }
            self.reader = reader
            for work in works {
                guard let place = places[work] else { continue }
                counts[Int(place)] += 1
                items.append(place)
            }
        }

        /// Only works that two readers or more have, and readers who have one of them.
        func shelves() -> Shelves {
            let kept = works.indices.filter { counts[$0] >= 2 }
            var renumbered = [UInt32?](repeating: nil, count: works.count)
            for (number, place) in kept.enumerated() { renumbered[place] = UInt32(number) }
            var histories = Histories(itemCount: kept.count)
            for (start, end) in zip(starts, starts.dropFirst() + [items.count]).prefix(Histories.readers) {
                let row = items[start..<end].compactMap { renumbered[Int($0)] }
                if !row.isEmpty { histories.add(row) }
            }
            return Shelves(works: kept.map { works[$0] }, histories: histories)
        }
    }
}
