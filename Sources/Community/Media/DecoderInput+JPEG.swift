extension Media.DecoderInput {
    /// The segments that decoding needs: tables, frames, scans, Adobe's word on colours, a profile of bounded size, and
    /// an EXIF block that says which way up it stands. Nothing behind the end.
    static func jpeg(_ whole: [UInt8]) throws(Media.Refusal) -> Self {
        var file = JPEGWalk(whole)
        while let marker = file.nextMarker() {
            switch marker {
            // Without a length, and without a meaning between scans.
            case 0x00, 0x01, 0xD0...0xD7: continue
            case 0xD8: throw .damaged("it begins twice")
            case 0xD9:
                file.end()
                return file.result
            default:
                guard file.takeSegment(marker) else { return file.result }
                guard file.scans <= Limits.media.scans else { throw .tooCostly }
            }
        }
        return file.result
    }
}

/// A JPEG as a decoder walks through it: from marker to marker, over whatever stands between.
private struct JPEGWalk {
    private let whole: [UInt8]
    private var position = 2
    private var kept: [UInt8] = [0xFF, 0xD8]
    private var profile: [UInt8] = []
    /// The first block of EXIF counts.
    private var hasExif = false
    private var orientation: Media.Orientation?
    private(set) var scans = 0

    init(_ whole: [UInt8]) { self.whole = whole }

    /// What is left, the profile and the orientation in front.
    var result: Media.DecoderInput {
        let hasProfile = !profile.isEmpty && profile.count <= Limits.media.profile
        var bytes = Array(kept.prefix(2))
        if let exif = orientation?.exif {
            bytes += [0xFF, 0xE1, 0, UInt8(exif.count + 2)] + exif
        }
        if hasProfile { bytes += profile }
        return Media.DecoderInput(bytes: bytes + kept.dropFirst(2), hasProfile: hasProfile)
    }

    /// The next marker, whatever stands before it being passed over; `nil` at the end of the file.
    mutating func nextMarker() -> UInt8? {
        guard let start = whole[position...].firstIndex(of: 0xFF),
            let code = whole[start...].firstIndex(where: { $0 != 0xFF })
        else { return nil }
        position = code + 1
        return whole[code]
    }

    mutating func end() { kept += [0xFF, 0xD9] }

    /// Takes over the segment whose marker was just read, or leaves it out; false where the file breaks off in it.
    mutating func takeSegment(_ marker: UInt8) -> Bool {
        guard position + 2 <= whole.count else { return false }
        let length = Media.ImageHeader.big(whole, at: position, 2)
        guard length >= 2, position + length <= whole.count else {
            kept += [0xFF, marker] + whole[position...]
            return false
        }
        let segment = whole[position..<position + length]
        position += length
        switch marker {
        case 0xE1 where !hasExif && segment.dropFirst(2).starts(with: "Exif\0\0".utf8):
            hasExif = true
            orientation = Media.Orientation(exif: segment.dropFirst(2))
        case 0xE2 where segment.dropFirst(2).starts(with: "ICC_PROFILE\0".utf8):
            if profile.count <= Limits.media.profile { profile += [0xFF, marker] + segment }
        // JFIF and Adobe: what the numbers of a pixel mean.
        case 0xE0, 0xEE: keep(marker, segment)
        case 0xE1...0xEF, 0xFE: break
        case 0xDA:
            scans += 1
            keep(marker, segment)
            takeScan()
        default: keep(marker, segment)
        }
        return true
    }

    private mutating func keep(_ marker: UInt8, _ segment: ArraySlice<UInt8>) { kept += [0xFF, marker] + segment }

    /// The data of a scan, up to the next marker that is none of its own.
    private mutating func takeScan() {
        var end = position
        while let start = whole[end...].firstIndex(of: 0xFF) {
            end = start
            guard start + 1 < whole.count else { break }
            switch whole[start + 1] {
            case 0x00, 0xD0...0xD7: end = start + 2
            case 0xFF: end = start + 1
            default:
                kept += whole[position..<start]
                position = start
                return
            }
        }
        kept += whole[position...]
        position = whole.count
    }
}
