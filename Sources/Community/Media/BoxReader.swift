extension Media {
    /// Numbers and boxes of ISO base media (ISO/IEC 14496-12), read from a part of a file and never beyond it.
    ///
    /// Throws `broken` for what leaves its part: a box longer than what holds it, a number that breaks off.
    struct BoxReader {
        /// A box of a file: four letters, and what it holds.
        struct Box {
            let type: String
            /// Behind its size and its letters.
            let content: Range<Int>
        }

        /// What boxes that lie get, whichever lie it is.
        static let broken = Refusal.damaged("its HEIC boxes break off or contradict each other")

        private let whole: [UInt8]
        private(set) var position: Int
        private let end: Int

        init(_ whole: [UInt8], in part: Range<Int>) {
            self.whole = whole
            position = part.lowerBound
            end = part.upperBound
        }

        var isAtEnd: Bool { position >= end }

        /// A number of at most eight bytes, the first the highest; 0 for none.
        mutating func number(_ count: Int) throws(Refusal) -> Int {
            let part = try skip(count)
            var value: UInt64 = 0
            for byte in whole[part] { value = value << 8 | UInt64(byte) }
            guard let number = Int(exactly: value) else { throw Self.broken }
            return number
        }

        /// Four letters.
        mutating func letters() throws(Refusal) -> String {
            String(decoding: whole[try skip(4)], as: UTF8.self)
        }

        /// Passes over `count` bytes. Gives where they are.
        @discardableResult
        mutating func skip(_ count: Int) throws(Refusal) -> Range<Int> {
            guard count >= 0, count <= end - position else { throw Self.broken }
            defer { position += count }
            return position..<position + count
        }

        /// The next box, passed over.
        mutating func box() throws(Refusal) -> Box {
            let start = position
            var size = try number(4)
            let type = try letters()
            if size == 1 { size = try number(8) }
            // To the end of what holds it.
            if size == 0 { size = end - start }
            guard size >= position - start, size <= end - start else { throw Self.broken }
            let content = try skip(start + size - position)
            return Box(type: type, content: content)
        }

        /// All boxes from here on.
        mutating func boxes() throws(Refusal) -> [Box] {
            var boxes: [Box] = []
            while !isAtEnd {
                guard boxes.count < Limits.media.boxes else { throw .tooCostly }
                boxes.append(try box())
            }
            return boxes
        }

        /// A reader for what a box holds.
        func inside(_ box: Box) -> BoxReader { BoxReader(whole, in: box.content) }
    }
}
