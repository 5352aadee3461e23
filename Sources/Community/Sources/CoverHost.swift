extension Sources {
    /// Where a catalogue keeps its covers.
    struct CoverHost: Sendable {
        private let host: Host
        private let outgoing: Outgoing

        init(host: Host, outgoing: Outgoing) {
            self.host = host
            self.outgoing = outgoing
        }

        /// The file at this path; `nil` where there is none. Throws `Trouble`, and `CancellationError`.
        func image(_ path: [String], query: KeyValuePairs<String, String>) async throws -> [UInt8]? {
            let answer = try await outgoing.get(Target(host, path, query: query))
            return answer.status == 200 ? answer.body : nil
        }
    }
}
