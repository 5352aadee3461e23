extension EPUB.Archive {
    /// The directory at the end of a ZIP archive, as APPNOTE 6.3 has it, ZIP64 among it.
    enum Directory {
        private static let end = 0x0605_4B50, end64 = 0x0606_4B50, locator64 = 0x0706_4B50
        private static let entry = 0x0201_4B50, local = 0x0403_4B50
        private static let endLength = 22, entryLength = 46, localLength = 30
        private static let longestComment = 0xFFFF

        /// Where the directory lies and how many entries it says that it has.
        private struct Extent {
            var count: Int
            var length: Int
            var offset: Int
        }

        private struct Entry {
            let name: ArraySlice<UInt8>
            let packed: Int
            let size: Int
            let offset: Int
        }

        /// All members, in order. Throws `.empty`, `.notZIP`, `.truncated`, `.damaged`, `.tooManyMembers`, `.encrypted`,
        /// `.compression`, `.overlapping`, `.inflatesTooMuch`, and what `Names` throws.
        static func members(of descriptor: Int32, limits: EPUB.Limits) throws(EPUB.Refusal) -> [EPUB.Archive.Member] {
            let length = try EPUB.length(of: descriptor)
            guard length > 0 else { throw .empty }
            let extent = try extent(in: descriptor, length: length)
            guard extent.count <= limits.members else { throw .tooManyMembers }
            guard extent.length <= EPUB.Limits.directory else { throw .tooManyMembers }
            let bytes = try EPUB.bytes(of: descriptor, from: extent.offset, count: extent.length)
            let entries = try entries(in: bytes, count: extent.count)
            try check(entries, before: extent.offset, limits: limits)
            var names = Names()
            var members: [EPUB.Archive.Member] = []
            members.reserveCapacity(entries.count)
            for entry in entries {
                members.append(.init(name: try names.take(entry.name), size: entry.size, packed: entry.packed))
            }
            return members
        }

        private static func extent(in descriptor: Int32, length: Int) throws(EPUB.Refusal) -> Extent {
            let tail = min(length, endLength + longestComment + 20)
            let from = length - tail
            let bytes = try EPUB.bytes(of: descriptor, from: from, count: tail)
            var at = tail - endLength
            while at >= 0, number(bytes, at, 4) != end || at + endLength + number(bytes, at + 20, 2) > tail { at -= 1 }
            guard at >= 0 else {
                let head = try EPUB.bytes(of: descriptor, from: 0, count: min(4, length))
                throw head.count == 4 && number(head, 0, 4) == local ? .truncated : .notZIP
            }
            var extent = Extent(
                count: number(bytes, at + 10, 2), length: number(bytes, at + 12, 4), offset: number(bytes, at + 16, 4))
            var last = from + at
            if extent.count == 0xFFFF || extent.length == 0xFFFF_FFFF || extent.offset == 0xFFFF_FFFF,
                at >= 20, number(bytes, at - 20, 4) == locator64
            {
                let place = number(bytes, at - 12, 8)
                guard (0...length).contains(place), place <= last - 56 else { throw .damaged }
                let record = try EPUB.bytes(of: descriptor, from: place, count: 56)
                guard number(record, 0, 4) == end64 else { throw .damaged }
                extent = Extent(
                    count: number(record, 32, 8), length: number(record, 40, 8), offset: number(record, 48, 8))
                last = place
            }
            guard extent.count >= 0, (0...last).contains(extent.offset),
                (0...last - extent.offset).contains(extent.length)
            else { throw .damaged }
            return extent
        }

        private static func entries(in bytes: [UInt8], count: Int) throws(EPUB.Refusal) -> [Entry] {
            var entries: [Entry] = []
            entries.reserveCapacity(count)
            var at = 0
            for _ in 0..<count {
                guard at + entryLength <= bytes.count, number(bytes, at, 4) == entry else { throw .damaged }
                let (flags, method) = (number(bytes, at + 8, 2), number(bytes, at + 10, 2))
                guard flags & 0x41 == 0, method != 99 else { throw .encrypted }
                guard method == 0 || method == 8 else { throw .compression }
                let name = at + entryLength
                let extra = name + number(bytes, at + 28, 2)
                let comment = extra + number(bytes, at + 30, 2)
                let next = comment + number(bytes, at + 32, 2)
                guard next <= bytes.count else { throw .damaged }
                var fields = [number(bytes, at + 24, 4), number(bytes, at + 20, 4), number(bytes, at + 42, 4)]
                try widen(&fields, from: bytes[extra..<comment])
                guard method == 8 || fields[0] == fields[1] else { throw .damaged }
                entries.append(
                    Entry(name: bytes[name..<extra], packed: fields[1], size: fields[0], offset: fields[2]))
                at = next
            }
            // More entries than were said: another program would see other files than this one.
            guard at == bytes.count else { throw .damaged }
            return entries
        }

        /// ZIP64 keeps the fields that are full in an extra field, in this order.
        private static func widen(_ fields: inout [Int], from extra: ArraySlice<UInt8>) throws(EPUB.Refusal) {
            guard fields.contains(0xFFFF_FFFF) else { return }
            let extra = Array(extra)
            var at = 0
            while at + 4 <= extra.count, number(extra, at, 2) != 1 { at += 4 + number(extra, at + 2, 2) }
            guard at + 4 <= extra.count else { throw .damaged }
            let last = min(extra.count, at + 4 + number(extra, at + 2, 2))
            at += 4
            for index in fields.indices where fields[index] == 0xFFFF_FFFF {
                guard at + 8 <= last else { throw .damaged }
                fields[index] = number(extra, at, 8)
                guard fields[index] >= 0 else { throw .damaged }
                at += 8
            }
        }

        /// Entries lie one after another before the directory, and unpack to what a book may hold.
        private static func check(_ entries: [Entry], before end: Int, limits: EPUB.Limits) throws(EPUB.Refusal) {
            var sum = 0
            for entry in entries {
                guard entry.size <= limits.inflated else { throw .inflatesTooMuch }
                sum += entry.size
                guard sum <= limits.inflated else { throw .inflatesTooMuch }
                if entry.size >= limits.ratioFloor, entry.size / limits.ratio > entry.packed { throw .inflatesTooMuch }
            }
            var last = 0
            for entry in entries.sorted(by: { $0.offset < $1.offset }) {
                guard entry.packed <= end, entry.offset <= end else { throw .damaged }
                guard entry.offset >= last else { throw .overlapping }
                last = entry.offset + localLength + entry.name.count + entry.packed
                guard last <= end else { throw .damaged }
            }
        }

        /// The little-endian number of `width` bytes. Negative where 8 bytes hold more than `Int` does.
        private static func number(_ bytes: [UInt8], _ at: Int, _ width: Int) -> Int {
            var value: UInt64 = 0
            for index in (0..<width).reversed() { value = value << 8 | UInt64(bytes[at + index]) }
            return Int(truncatingIfNeeded: value)
        }
    }
}
