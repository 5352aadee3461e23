import SystemPackage

/// What went wrong with a file, in the words of the system.
package struct FileFailure: Error, CustomStringConvertible {
    package let path: String
    package let reason: Errno

    package var description: String { "\(path): \(reason)" }
}

/// A file that stays open for as long as somebody holds it. What goes wrong is a `FileFailure`.
package final class OpenFile: Sendable {
    private let path: String
    private let file: FileDescriptor

    private init(
        _ path: String, _ mode: FileDescriptor.AccessMode, _ options: FileDescriptor.OpenOptions = [],
        permissions: FilePermissions? = nil
    ) throws {
        self.path = path
        file = try Self.naming(path) {
            try FileDescriptor.open(
                FilePath(path), mode, options: options.union(.closeOnExec), permissions: permissions)
        }
    }

    deinit { try? file.close() }

    package static func reading(_ path: String) throws -> OpenFile { try OpenFile(path, .readOnly) }

    /// Empties the file, which keeps its owner and permissions, or makes one with these less the process's mask.
    package static func writing(
        _ path: String, permissions: FilePermissions = [.ownerReadWrite, .groupReadWrite, .otherReadWrite]
    ) throws -> OpenFile {
        try OpenFile(path, .writeOnly, [.create, .truncate], permissions: permissions)
    }

    /// Makes a file that was not there, for its owner alone.
    package static func making(_ path: String) throws -> OpenFile {
        try OpenFile(path, .writeOnly, [.create, .exclusiveCreate], permissions: .ownerReadWrite)
    }

    /// A file that is there already, to be cut or written over.
    package static func changing(_ path: String) throws -> OpenFile { try OpenFile(path, .writeOnly) }

    /// For calls of C, while the file is held.
    package var descriptor: Int32 { file.rawValue }

    /// The next `count` bytes; fewer at the end, and then none.
    package func read(_ count: Int) throws -> [UInt8] {
        try naming {
            try [UInt8](unsafeUninitializedCapacity: count) { buffer, size in
                while size < count {
                    let rest = UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[size...])
                    let more = try file.read(into: rest)
                    guard more > 0 else { break }
                    size += more
                }
            }
        }
    }

    package func write(_ bytes: some Sequence<UInt8>) throws { _ = try naming { try file.writeAll(bytes) } }

    /// Throws what a file system says only when a file is closed, as one of a network may about a lack of room.
    package func finish() throws { try naming { try file.duplicate().close() } }

    /// Goes on at `place`, counted in bytes from the beginning.
    package func seek(to place: Int64) throws { _ = try naming { try file.seek(offset: place, from: .start) } }

    /// Its length in bytes.
    package func size() throws -> Int64 {
        try naming {
            let here = try file.seek(offset: 0, from: .current)
            defer { _ = try? file.seek(offset: here, from: .start) }
            return try file.seek(offset: 0, from: .end)
        }
    }

    /// Keeps the first `count` bytes, with zeros up to there where it has fewer, and goes on behind them.
    package func cut(to count: Int64) throws {
        try naming { try file.resize(to: count) }
        try seek(to: count)
    }

    private func naming<Result>(_ body: () throws -> Result) throws -> Result { try Self.naming(path, body) }

    private static func naming<Result>(_ path: String, _ body: () throws -> Result) throws -> Result {
        do { return try body() } catch let reason as Errno { throw FileFailure(path: path, reason: reason) }
    }
}
