extension EventStream {
    /// How sockets are told to go when a server stops: 500 a second, or more where there is not the time.
    struct Waves: Hashable {
        static let pause: Duration = .milliseconds(100)
        private static let least = 50

        /// Sockets in one wave.
        let size: Int

        init(of count: Int, within time: Duration) {
            let waves = max(1, Int(time / Self.pause))
            size = max(Self.least, (count + waves - 1) / waves)
        }
    }
}
