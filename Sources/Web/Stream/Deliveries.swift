import NIOCore

extension EventStream {
    /// A batch of events on its way to the sockets: for each event loop, in the order of the log, each form of an event once, with
    /// all sockets there that get it.
    struct Deliveries {
        /// One form of one event.
        struct Delivery: Sendable {
            let parcel: Parcel
            var listeners: [NIOLoopBound<any Listener>] = []
        }

        private struct Loop {
            let loop: any EventLoop
            var deliveries: [Delivery] = []
            /// Places in `deliveries` of this event's parcels, by their slots; -1 where there is none.
            var places: [Int] = []
        }

        /// As many as the process has threads for sockets.
        private var loops: [Loop] = []

        /// Slots are those of the next event from here on.
        mutating func beginEvent() {
            for place in loops.indices { loops[place].places.removeAll(keepingCapacity: true) }
        }

        /// `slot`: of the parcel, as its `Wrapper` numbers them.
        mutating func add(_ slot: Int, _ parcel: @autoclosure () -> Parcel, to port: Port) {
            let place = place(of: port.loop)
            while loops[place].places.count <= slot { loops[place].places.append(-1) }
            var delivery = loops[place].places[slot]
            if delivery < 0 {
                delivery = loops[place].deliveries.count
                loops[place].places[slot] = delivery
                loops[place].deliveries.append(Delivery(parcel: parcel()))
            }
            loops[place].deliveries[delivery].listeners.append(port.listener)
        }

        private mutating func place(of loop: any EventLoop) -> Int {
            if let place = loops.firstIndex(where: { $0.loop === loop }) { return place }
            loops.append(Loop(loop: loop))
            return loops.count - 1
        }

        /// One hop for each event loop, however many sockets it has. Returns when all have taken theirs, so that no loop falls more than
        /// one batch behind.
        func handOn() async {
            let taken = loops.map { loop in
                loop.loop.submit { Self.hand(loop.deliveries) }
            }
            // The only failure is a loop that has been shut down, and its sockets with it.
            for future in taken { try? await future.get() }
        }

        /// On the event loop of all these listeners. Each writes once, what it got of all of them.
        private static func hand(_ deliveries: [Delivery]) {
            let now = EventStream.now
            var due: [any Listener] = []
            for delivery in deliveries {
                for bound in delivery.listeners {
                    let listener = bound.value
                    if listener.take(delivery.parcel, now: now) { due.append(listener) }
                }
            }
            for listener in due { listener.settle() }
        }
    }
}
