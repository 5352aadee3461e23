import CZBar

/// libzbar's scanner: lines across a picture, each read for EAN-13.
enum Scanner {
    /// A code that libzbar found.
    struct Find {
        /// 13 digits with a right check digit.
        let text: String
        /// How many lines gave it.
        let lines: Int
        /// Where a line left the bars, in pixels: one a line, at the one side of the code or the other.
        let points: [Point]
    }

    /// Lines along the rows and along the columns: 1 takes each, 2 every second, 0 none.
    struct Density {
        var rows: Int, columns: Int
    }

    /// Of one picture, in libzbar's order. None where libzbar has no memory.
    ///
    /// The scanner lives for this call alone: it keeps halves of codes, and those of one picture must not meet those of
    /// the next. libzbar reads the pixels where they lie and frees none of them: the image that points to them is gone
    /// before this returns.
    static func finds(in picture: GreyPicture, _ density: Density) -> [Find] {
        guard picture.width > 0, picture.height > 0, let scanner = zbar_image_scanner_create() else { return [] }
        defer { zbar_image_scanner_destroy(scanner) }
        // Each found code would go to the system's message bus otherwise, if a later libzbar did that by default.
        zbar_image_scanner_request_dbus(scanner, 0)
        zbar_image_scanner_set_config(scanner, ZBAR_NONE, ZBAR_CFG_ENABLE, 0)
        zbar_image_scanner_set_config(scanner, ZBAR_EAN13, ZBAR_CFG_ENABLE, 1)
        zbar_image_scanner_set_config(scanner, ZBAR_NONE, ZBAR_CFG_Y_DENSITY, Int32(density.rows))
        zbar_image_scanner_set_config(scanner, ZBAR_NONE, ZBAR_CFG_X_DENSITY, Int32(density.columns))
        guard let image = zbar_image_create() else { return [] }
        defer { zbar_image_destroy(image) }
        zbar_image_set_format(image, greyFormat)
        zbar_image_set_size(image, UInt32(picture.width), UInt32(picture.height))
        return picture.pixels.withUnsafeBytes { bytes in
            zbar_image_set_data(image, bytes.baseAddress, UInt(bytes.count), nil)
            defer { zbar_image_set_data(image, nil, 0, nil) }
            guard zbar_scan_image(scanner, image) > 0 else { return [] }
            return finds(of: image)
        }
    }

    /// "Y800" as libzbar writes it: one byte a pixel.
    private static let greyFormat: UInt = 0x3030_3859

    private static func finds(of image: OpaquePointer) -> [Find] {
        var finds: [Find] = []
        var next = zbar_image_first_symbol(image)
        while let symbol = next {
            next = zbar_symbol_next(symbol)
            guard zbar_symbol_get_type(symbol) == ZBAR_EAN13, let data = zbar_symbol_get_data(symbol) else { continue }
            let text = String(cString: data)
            guard CheckDigit.holds(text) else { continue }
            let points = (0..<zbar_symbol_get_loc_size(symbol)).map {
                Point(
                    x: Double(zbar_symbol_get_loc_x(symbol, $0)) + 0.5,
                    y: Double(zbar_symbol_get_loc_y(symbol, $0)) + 0.5)
            }
            finds.append(Find(text: text, lines: Int(zbar_symbol_get_quality(symbol)), points: points))
        }
        return finds
    }
}
