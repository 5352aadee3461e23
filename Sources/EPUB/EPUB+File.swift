import Glibc

extension EPUB {
    /// Opens the file at `path` for `body` alone.
    static func withFile<Result>(_ path: String, _ body: (Int32) throws(Refusal) -> Result) throws(Refusal) -> Result {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .unreadable }
        defer { close(descriptor) }
        return try body(descriptor)
    }

    /// Bytes of a regular file.
    static func length(of descriptor: Int32) throws(Refusal) -> Int {
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { throw .unreadable }
        return Int(status.st_size)
    }

    /// `count` bytes from `offset`, wherever the descriptor stands.
    static func bytes(of descriptor: Int32, from offset: Int, count: Int) throws(Refusal) -> [UInt8] {
        var failed = false
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            while filled < count {
                let got = pread(descriptor, buffer.baseAddress.map { $0 + filled }, count - filled, offset + filled)
                if got < 0, errno == EINTR { continue }
                guard got > 0 else {
                    failed = true
                    return
                }
                filled += got
            }
        }
        guard !failed else { throw .unreadable }
        return bytes
    }

    /// Writes all of `bytes` where the descriptor stands.
    static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) throws(Refusal) {
        var done = 0
        while done < bytes.count {
            let put = Glibc.write(descriptor, bytes.baseAddress.map { $0 + done }, bytes.count - done)
            if put < 0, errno == EINTR { continue }
            guard put > 0 else { throw .unreadable }
            done += put
        }
    }
}
