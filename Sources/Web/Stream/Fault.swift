import Synchronization

extension EventStream {
    /// What the owner of a test server may order, to see whether tests of the stream find it out.
    ///
    /// It strikes where a session queues an event, behind everything that gives each event once and in order. So clients meet it, live and in
    /// a replay.
    package final class Fault: Sendable {
        package enum Kind: String, CaseIterable, Sendable {
            /// The event is left out.
            case drop
            /// It is given twice.
            case `repeat`
            /// It is given after the next one on its topic.
            case swap
        }

        let kind: Kind
        private let rarity: UInt64
        private let state: Mutex<UInt64>

        /// Strikes one event in `rarity` (1 or more), for each socket by itself, as the numbers after `seed` have it.
        package init(_ kind: Kind, seed: UInt64, oneIn rarity: UInt64 = 1_000) {
            self.kind = kind
            self.rarity = rarity
            state = Mutex(seed)
        }

        /// Draws. Knuth's linear congruential generator (MMIX); its low bits are poor.
        fileprivate var strikes: Bool {
            state.withLock { state in
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                return (state >> 33) % rarity == 0
            }
        }
    }

    /// The fault in what one session queues.
    struct Spoiler<Item: Sendable>: Sendable {
        let fault: Fault
        /// What waits for the next one on its topic.
        private var late: [Item] = []

        init(_ fault: Fault) { self.fault = fault }

        /// What is queued instead of `item`, in order. `isNext`: whether `item` is the next on the topic of one that came before.
        mutating func spoil(_ item: Item, isNext: (Item) -> Bool) -> [Item] {
            switch (fault.strikes, fault.kind) {
            case (true, .drop): return []
            case (true, .repeat): return [item, item]
            case (true, .swap) where !late.contains(where: isNext):
                late.append(item)
                return []
            default:
                defer { late.removeAll(where: isNext) }
                return [item] + late.filter(isNext)
            }
        }
    }
}
