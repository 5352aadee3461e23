extension Evaluation {
    /// Histories as a file tells them, one line a reader: `reader item item …`, with spaces or tabs between.
    ///
    /// A word of digits that fits 64 bits is its number, so `007` is `7`. Any other word is hashed, the same in every process: two
    /// words meet by chance once in 2^64. A reader on several lines has the items of all, and an item twice counts once.
    package struct Lines: Sendable {
        /// Pairs at most, repeated ones too.
        package static let pairs = 50_000_000

        /// Why a line is refused.
        package enum Fault: Error, Hashable, CustomStringConvertible {
            case notText, noItems, tooManyPairs, tooManyReaders

            /// Goes on after “line 7”.
            package var description: String {
                switch self {
                case .notText: "is not text in UTF-8"
                case .noItems: "names a reader and no item"
                case .tooManyPairs: "has the pair after the \(Lines.pairs) that may be evaluated"
                case .tooManyReaders: "has the reader after the \(Histories.readers) that may be evaluated"
                }
            }
        }

        private(set) var readers: [UInt64] = []
        private(set) var items: [UInt64] = []
        private var starts = [0]
        private let most: Int

        package init() { self.init(pairs: Self.pairs) }

        /// Takes this many pairs at most.
        init(pairs: Int) { most = pairs }

        /// Whether no line was added.
        package var isEmpty: Bool { readers.isEmpty }

        /// Items of one line, as they stand there.
        func row(_ line: Int) -> ArraySlice<UInt64> { items[starts[line]..<starts[line + 1]] }

        /// Adds what one reader has. Throws where there is no item, or one too many, and adds nothing then.
        package mutating func add(reader: UInt64, items new: [UInt64]) throws(Fault) {
            guard !new.isEmpty else { throw .noItems }
            guard items.count + new.count <= most else { throw .tooManyPairs }
            guard readers.count < Histories.readers else { throw .tooManyReaders }
            readers.append(reader)
            items += new
            starts.append(items.count)
        }

        /// Adds a line without its end. A line without words is passed over. Throws where it is none of the form above, and adds
        /// nothing then.
        package mutating func add(line: ArraySlice<UInt8>) throws(Fault) {
            let isText = line.allSatisfy { $0 >= 0x20 || $0 == 0x09 }
            guard isText, line.allSatisfy({ $0 < 0x80 }) || String(validating: line, as: UTF8.self) != nil else {
                throw .notText
            }
            let words = line.split { $0 == 0x20 || $0 == 0x09 }
            guard let reader = words.first else { return }
            try add(reader: Self.id(reader), items: words.dropFirst().map(Self.id))
        }

        /// The number that a word of digits is, or a word's hash (FNV-1a, mixed once more).
        static func id(_ word: ArraySlice<UInt8>) -> UInt64 {
            number(word) ?? SplitMix64.hash(word.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 })
        }

        private static func number(_ word: ArraySlice<UInt8>) -> UInt64? {
            var number: UInt64 = 0
            for digit in word {
                guard (0x30...0x39).contains(digit) else { return nil }
                let (product, isOver) = number.multipliedReportingOverflow(by: 10)
                let (sum, isOverToo) = product.addingReportingOverflow(UInt64(digit - 0x30))
                guard !isOver, !isOverToo else { return nil }
                number = sum
            }
            return number
        }
    }
}
