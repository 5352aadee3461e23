extension Media {
    /// A code that was read in a picture.
    package struct Barcode: Hashable, Sendable {
        /// Its digits, 12 of a UPC-A and 13 of any other; the check digit is right.
        package let text: String
        /// The box around the bars, in the picture as it is looked at: upright.
        package let place: Edit.Crop

        package init(text: String, place: Edit.Crop) { (self.text, self.place) = (text, place) }
    }
}

extension Media.Barcode {
    /// Reads the lines that `commonplace read-barcodes` prints. Throws where one is malformed.
    package static func list(_ lines: String) throws -> [Self] {
        try lines.split(separator: "\n").map { line in
            let parts = line.split(separator: " ").map(String.init)
            let sides = parts.dropFirst().compactMap { Int($0) }
            // It read what a stranger sent, so that its words are looked at, too.
            guard parts.count == 5, sides.count == 4, (12...13).contains(parts[0].utf8.count),
                parts[0].utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains),
                let place = Media.Edit.Crop(left: sides[0], top: sides[1], width: sides[2], height: sides[3])
            else { throw Misread(description: "read-barcodes said a line that is none") }
            return Self(text: parts[0], place: place)
        }
    }

    /// As `read-barcodes` prints it: the digits, then left, top, width and height in thousandths.
    package var line: String { "\(text) \(place.left) \(place.top) \(place.width) \(place.height)\n" }

    private struct Misread: Error, CustomStringConvertible {
        let description: String
    }
}

extension Media.Store {
    /// The barcodes in what was sent: those of books first. Nothing of it is kept. `type` and `account` as in `prepare`.
    ///
    /// Slow. Throws `Refusal`, `Failure.busy`, `.limited`.
    package func barcodes(
        in bytes: [UInt8], type: String, for account: ID<Accounts.Account>
    ) async throws -> [Media.Barcode] {
        let converter = try await readied(bytes, type: type)
        return try await counting(for: account) { taken in
            try await converter.barcodes(in: bytes, taken: taken)
        }
    }
}
