import CZlib

extension Media.DecoderInput {
    /// Chunks of PNG that change how a picture looks, of a fixed size or nearly, beside those that are critical.
    private static let colours: Set<String> = ["tRNS", "gAMA", "cHRM", "sRGB"]
    /// Those of which the first counts.
    private static let single = colours.union(["iCCP", "eXIf"])

    /// The critical chunks, each of `colours` once, a profile of bounded size, and an EXIF block that says which way
    /// up it stands. Nothing behind the end.
    static func png(_ whole: [UInt8]) throws(Media.Refusal) -> Self {
        var kept = Array(whole.prefix(8))
        var (seen, data): (Set<String>, [Range<Int>]) = ([], [])
        var (hasProfile, position) = (false, 8)
        while position + 8 <= whole.count {
            let content = position + 8
            let length = Media.ImageHeader.big(whole, at: position, 4)
            let name = String(decoding: whole[position + 4..<content], as: UTF8.self)
            let end = content + length + 4
            let isCritical = whole[position + 4] & 0x20 == 0
            guard end <= whole.count else {
                // It breaks off here, and libvips says so.
                if isCritical { kept += whole[position...] }
                if name == "IDAT" { data.append(content..<whole.count) }
                break
            }
            switch name {
            case "IDAT": data.append(content..<content + length)
            case "iCCP" where data.isEmpty && !seen.contains(name):
                guard isProfile(whole[content..<content + length]) else { break }
                kept += whole[position..<end]
                hasProfile = true
            case "eXIf" where !seen.contains(name):
                guard let way = Media.Orientation(exif: whole[content..<content + length]) else { break }
                kept += chunk(name, way.exif)
            case _ where colours.contains(name) && data.isEmpty && !seen.contains(name): kept += whole[position..<end]
            default: break
            }
            if isCritical { kept += whole[position..<end] }
            if name == "IEND" { break }
            if single.contains(name) { seen.insert(name) }
            position = end
        }
        let room = pixelBytes(of: whole)
        let pieces = data.map { whole[$0] }
        guard inflatedSize(of: pieces, atMost: room + Limits.media.inflatedRoom) != nil else {
            throw .damaged("it holds more than its header says")
        }
        return Self(bytes: kept, hasProfile: hasProfile)
    }

    /// Bytes of all rows with their filters, by the header; passes of an interlaced picture have rows of their own.
    static func pixelBytes(of png: [UInt8]) -> Int {
        guard png.count >= 29 else { return 0 }
        let sides = [16, 20].map { min(Media.ImageHeader.big(png, at: $0, 4), Limits.media.side.upperBound) }
        let (width, height) = (sides[0], sides[1])
        let samples = [0: 1, 2: 3, 3: 1, 4: 2, 6: 4][png[25]] ?? 4
        let bits = samples * Int(min(png[24], 16))
        func size(_ columns: Int, _ rows: Int) -> Int { columns == 0 ? 0 : rows * ((columns * bits + 7) / 8 + 1) }
        guard png[28] == 1 else { return size(width, height) }
        let passes = [(0, 8, 0, 8), (4, 8, 0, 8), (0, 4, 4, 8), (2, 4, 0, 4), (0, 2, 2, 4), (1, 2, 0, 2), (0, 1, 1, 2)]
        return passes.reduce(0) { sum, pass in
            let (left, across, top, down) = pass
            return sum + size(max(0, width - left + across - 1) / across, max(0, height - top + down - 1) / down)
        }
    }

    /// Whether a chunk's profile has a size that profiles have: a name of 1 to 79 bytes, a zero, the method, zlib.
    private static func isProfile(_ content: ArraySlice<UInt8>) -> Bool {
        guard let end = content.prefix(80).firstIndex(of: 0), end + 2 <= content.endIndex else { return false }
        return inflatedSize(of: [content[(end + 2)...]], atMost: Limits.media.profile) != nil
    }

    /// How many bytes a zlib stream in pieces becomes, as far as it can be read; `nil` where it is more than `limit`.
    /// Holds none of them.
    static func inflatedSize(of pieces: [ArraySlice<UInt8>], atMost limit: Int) -> Int? {
        // On the heap, because zlib keeps a pointer to it.
        let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        stream.initialize(to: z_stream())
        defer { stream.deallocate() }
        guard inflateInit_(stream, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else { return nil }
        defer { inflateEnd(stream) }
        var output = [UInt8](repeating: 0, count: 64 * 1024)
        var total = 0
        for piece in pieces {
            let status = piece.withUnsafeBufferPointer { input -> Int32 in
                // zlib takes a pointer to what it may change and does not change it.
                stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
                stream.pointee.avail_in = uInt(input.count)
                var status = Z_OK
                repeat {
                    let room = output.count
                    status = output.withUnsafeMutableBufferPointer { buffer in
                        stream.pointee.next_out = buffer.baseAddress
                        stream.pointee.avail_out = uInt(room)
                        return CZlib.inflate(stream, Z_NO_FLUSH)
                    }
                    total += room - Int(stream.pointee.avail_out)
                } while status == Z_OK && total <= limit
                    && (stream.pointee.avail_in > 0 || stream.pointee.avail_out == 0)
                return status
            }
            if total > limit { return nil }
            // A stream that ends or breaks is read no further, by libvips neither.
            guard status == Z_OK || status == Z_BUF_ERROR else { break }
        }
        return total
    }

    private static func chunk(_ name: String, _ content: [UInt8]) -> [UInt8] {
        let checked = Array(name.utf8) + content
        return big(content.count) + checked + big(Int(crc32(0, checked, uInt(checked.count))))
    }

    private static func big(_ number: Int) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
    }
}
