import DequeModule

/// One connection's place on one topic: joins replay to live events without a hole or a repeat.
///
/// A value that decides and does nothing: the hub offers live items, pages of the log come when asked for, and what `pass` is given goes
/// to the client in exactly that order. The rule that makes it right: **the hub names the seq up to which a page must reach in the same
/// step in which it registers the subscription, and offers everything later.** So what a page does not hold is offered, and what is both
/// is known by its seq.
///
/// - `opening`, `paging`: offered items are held, as long as there is room; then forgotten, and another page is needed.
/// - `live`: offered items pass.
/// - `behind`: offered items are dropped, because the log has them; a page must be asked for (`beginPage`).
package struct Subscription<Item: Sendable>: Sendable {
    package enum Phase: Hashable, Sendable {
        case opening, live, behind, paging
    }

    /// What became of an offered item.
    package enum Offer: Hashable, Sendable {
        /// It is next: write it.
        case pass
        /// It waits here; its bytes count against the connection's bound until it passes or is dropped.
        case held
        /// It was seen before, or will be read from the log.
        case dropped
    }

    private struct Held: Sendable {
        let seq: Int64
        let bytes: Int
        let item: Item
    }

    package private(set) var phase: Phase = .opening
    /// The last seq that was passed or that is known not to concern this topic.
    package private(set) var position: Int64 = 0
    private var held: Deque<Held> = []
    /// Bytes of held items.
    package private(set) var heldBytes = 0
    /// Something was dropped since the page was asked for: the page alone does not join up.
    private var hasDropped = false

    package init() {}

    package var heldCount: Int { held.count }

    /// The hub has registered the subscription. It is at `position`; when `isWhole`, the log has nothing between there and where the hub's
    /// offers begin. Gives what was held meanwhile and now passes.
    package mutating func opened(at position: Int64, isWhole: Bool) -> [Item] {
        guard phase == .opening else { return [] }
        self.position = position
        phase = .paging
        return isWhole ? join() : fallBehind()
    }

    /// `hasRoom`: whether the connection can take `bytes` more, held or queued.
    package mutating func offer(_ item: Item, seq: Int64, bytes: Int, hasRoom: Bool) -> Offer {
        if phase != .opening, seq <= position { return .dropped }
        switch phase {
        case .live:
            guard hasRoom else {
                phase = .behind
                return .dropped
            }
            position = seq
            return .pass
        case .behind:
            return .dropped
        case .opening, .paging:
            guard hasRoom, !hasDropped else {
                hasDropped = true
                release()
                return .dropped
            }
            if let last = held.last, last.seq >= seq { return .dropped }
            held.append(Held(seq: seq, bytes: bytes, item: item))
            heldBytes += bytes
            return .held
        }
    }

    /// Asks for the page after the place that is returned; only when `behind`.
    package mutating func beginPage() -> Int64? {
        guard phase == .behind else { return nil }
        phase = .paging
        return position
    }

    /// One item of the page that was asked for. `full` when it does not fit: the subscription is behind again, and the rest of the page
    /// is dropped.
    package mutating func page(seq: Int64, hasRoom: Bool) -> PageOffer {
        guard phase == .paging, seq > position else { return .dropped }
        guard hasRoom else {
            _ = fallBehind()
            return .full
        }
        position = seq
        return .pass
    }

    package enum PageOffer: Hashable, Sendable {
        case pass, dropped, full
    }

    /// The page has ended. It reaches `through`; when `isLast`, that is where the hub's offers began. Gives what was held and now passes.
    package mutating func endPage(through: Int64, isLast: Bool) -> [Item] {
        guard phase == .paging else { return [] }
        if isLast { position = max(position, through) }
        return isLast ? join() : fallBehind()
    }

    /// The page could not be read: it must be asked for again.
    package mutating func abandonPage() {
        if phase == .paging { _ = fallBehind() }
    }

    /// Part of the page has expired: the client begins anew at `position`, which the hub named as it names the end of a page. Gives what was
    /// held and now passes.
    package mutating func rebase(to position: Int64) -> [Item] {
        guard phase == .paging else { return [] }
        self.position = position
        return join()
    }

    /// The log's history is another one, in which offers begin after `position`: whatever waits is void.
    package mutating func restart(at position: Int64) {
        release()
        hasDropped = false
        guard phase != .opening else { return }
        self.position = position
        phase = .live
    }

    private mutating func join() -> [Item] {
        guard !hasDropped else { return fallBehind() }
        let next = held.filter { $0.seq > position }
        release()
        if let last = next.last { position = last.seq }
        phase = .live
        return next.map(\.item)
    }

    private mutating func fallBehind() -> [Item] {
        release()
        hasDropped = false
        phase = .behind
        return []
    }

    private mutating func release() {
        held.removeAll()
        heldBytes = 0
    }
}
