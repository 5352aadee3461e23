extension Media.DecoderInput {
    /// Chunks of which the first counts; the others are left out.
    private static let known: Set<String> = ["VP8X", "ANIM", "ANMF", "ALPH", "VP8 ", "VP8L", "ICCP", "EXIF"]

    /// Of an extended file the header, the first image with its transparency, a profile of bounded size, and an EXIF
    /// block that says which way up it stands; of an animation the first frame. A plain file has nothing else.
    static func webp(_ whole: [UInt8]) throws(Media.Refusal) -> Self {
        guard whole.count >= 20, whole[12..<16].elementsEqual("VP8X".utf8) else {
            return Self(bytes: whole, hasProfile: false)
        }
        let end = 8 + Media.ImageHeader.little(whole, at: 4, 4)
        guard end <= whole.count else { throw .damaged("it breaks off") }
        var (kept, seen): ([UInt8], Set<String>) = ([], [])
        var (hasProfile, position) = (false, 12)
        while position + 8 <= end {
            let content = position + 8
            let length = Media.ImageHeader.little(whole, at: position + 4, 4)
            let next = content + length + length % 2
            guard content + length <= end else { throw .damaged("it breaks off") }
            let name = String(decoding: whole[position..<position + 4], as: UTF8.self)
            let chunk = whole[position..<min(next, end)]
            position = next
            guard known.contains(name), seen.insert(name).inserted else { continue }
            switch name {
            case "EXIF":
                guard let exif = Media.Orientation(exif: whole[content..<content + length])?.exif else { continue }
                kept += Array("EXIF".utf8) + little(exif.count) + exif
            case "ICCP":
                guard length <= Limits.media.profile else { continue }
                hasProfile = true
                kept += chunk
            default: kept += chunk
            }
        }
        let head = Array("RIFF".utf8) + little(kept.count + 4) + Array("WEBP".utf8)
        return Self(bytes: head + kept, hasProfile: hasProfile)
    }

    private static func little(_ number: Int) -> [UInt8] {
        [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: number >> $0) }
    }
}
