import SystemPackage

/// A file that stays open for as long as somebody holds it. What goes wrong is an `Errno`.
package final class OpenFile: Sendable {
    private let file: FileDescriptor

    private init(_ file: FileDescriptor) { self.file = file }

    deinit { try? file.close() }

    package static func reading(_ path: String) throws -> OpenFile {
        OpenFile(try .open(FilePath(path), .readOnly, options: .closeOnExec))
    }

    /// A new file in place of what is there. Where there is none, it gets these permissions less the process's mask.
    package static func writing(
        _ path: String, permissions: FilePermissions = [.ownerReadWrite, .groupReadWrite, .otherReadWrite]
    ) throws -> OpenFile {
        let options: FileDescriptor.OpenOptions = [.create, .truncate, .closeOnExec]
        return OpenFile(try .open(FilePath(path), .writeOnly, options: options, permissions: permissions))
    }

    /// A file that is there already, to be cut or written over.
    package static func changing(_ path: String) throws -> OpenFile {
        OpenFile(try .open(FilePath(path), .writeOnly, options: .closeOnExec))
    }

    /// For calls of C, while the file is held.
    package var number: Int32 { file.rawValue }

    /// The next `count` bytes; fewer at the end, and then none.
    package func read(_ count: Int) throws -> [UInt8] {
        try [UInt8](unsafeUninitializedCapacity: count) { buffer, size in
            while size < count {
                let rest = UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[size...])
                let more = try file.read(into: rest)
                guard more > 0 else { break }
                size += more
            }
        }
    }

    package func write(_ bytes: some Sequence<UInt8>) throws { try file.writeAll(bytes) }

    /// Goes on at `place`, counted in bytes from the beginning.
    package func seek(to place: Int64) throws { try file.seek(offset: place, from: .start) }

    /// Its length in bytes.
    package func size() throws -> Int64 {
        let here = try file.seek(offset: 0, from: .current)
        defer { _ = try? file.seek(offset: here, from: .start) }
        return try file.seek(offset: 0, from: .end)
    }

    /// Keeps the first `count` bytes and goes on behind them.
    package func cut(to count: Int64) throws {
        try file.resize(to: count)
        try seek(to: count)
    }
}
