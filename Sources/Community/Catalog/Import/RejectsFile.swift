import FoundationEssentials

/// The file that tells which lines were refused: line number, code and reason, separated by tabs, one a line.
///
/// It is written before the batch is committed and cut back to what was committed when an import is resumed.
struct RejectsFile {
    private let path: String
    private var file: OpenFile?
    private var size: Int64

    /// Keeps the first `bytes` of what is there.
    init(_ path: String, keeping bytes: Int64) throws {
        self.path = path
        let manager = FileManager.default
        if bytes == 0 {
            if manager.fileExists(atPath: path) { try manager.removeItem(atPath: path) }
            size = 0
        } else if let file = try? OpenFile.changing(path) {
            try file.cut(to: bytes)
            self.file = file
            size = bytes
        } else {
            // Gone with what it said about earlier lines; what comes now is still worth telling.
            size = 0
        }
    }

    /// Adds lines and gives the file's length.
    mutating func append(_ rejects: [Catalog.Reject]) throws -> Int64 {
        guard !rejects.isEmpty else { return size }
        if file == nil {
            file = try OpenFile.writing(path)
        }
        let text = rejects.map { "\($0.line)\t\($0.code)\t\($0.detail.replacing("\t", with: " "))\n" }.joined()
        try file?.write(text.utf8)
        try file?.finish()
        size += Int64(text.utf8.count)
        return size
    }
}
