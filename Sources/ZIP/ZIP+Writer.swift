import CZip
import Glibc
import Synchronization

/// ZIP archives, written through libzip.
package enum ZIP {
    package struct Failed: Error, CustomStringConvertible {
        package let description: String
        /// `errno` of the system; 0 where libzip itself refuses.
        package var code: Int32 = 0
    }

    /// Makes an archive. The same members with the same time make the same bytes.
    ///
    /// Members lie in a file beside the archive as long as this is there, so that memory holds one of them at most.
    package final class Writer: Sendable {
        private struct State {
            var zip: OpaquePointer?
            let spool: Int32
            var spooled = 0
        }

        private let spoolPath: String
        private let state: Mutex<State>

        /// In place of what is at `path`. Throws where it cannot be written.
        package init(_ path: String) throws(Failed) {
            var status: Int32 = 0
            spoolPath = path + ".members"
            guard let zip = zip_open(path, ZIP_CREATE | ZIP_TRUNCATE, &status) else {
                throw Failed(description: "the archive cannot be made: \(status)", code: errno)
            }
            let spool = open(spoolPath, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
            guard spool >= 0 else {
                let code = errno
                zip_discard(zip)
                throw Self.failure(code)
            }
            state = Mutex(State(zip: zip, spool: spool))
        }

        deinit {
            state.withLock { state in
                if let zip = state.zip { zip_discard(zip) }
                close(state.spool)
            }
            unlink(spoolPath)
        }

        /// Adds a member behind the others. `isStored`: as it is, not compressed. `seconds`: its time since 1970; 1980
        /// where it is left out.
        package func add(
            _ name: String, _ bytes: [UInt8], isStored: Bool = false, at seconds: Int64? = nil
        ) throws(Failed) {
            try state.withLock { state throws(Failed) in
                guard let zip = state.zip else { throw Failed(description: "the archive is closed") }
                try Self.write(bytes, to: state.spool)
                // A length of 0 would mean all that is left.
                let source =
                    bytes.isEmpty
                    ? zip_source_buffer(zip, nil, 0, 0)
                    : zip_source_file(zip, spoolPath, UInt64(state.spooled), Int64(bytes.count))
                state.spooled += bytes.count
                guard let source else { throw Self.failure(of: zip) }
                let index = zip_file_add(zip, name, source, zip_flags_t(ZIP_FL_ENC_UTF_8))
                guard index >= 0 else {
                    zip_source_free(source)
                    throw Self.failure(of: zip)
                }
                let method = isStored ? ZIP_CM_STORE : ZIP_CM_DEFLATE
                let dated =
                    seconds.map { zip_file_set_mtime(zip, UInt64(index), time_t($0), 0) }
                    ?? zip_file_set_dostime(zip, UInt64(index), 0, 33, 0)
                guard zip_set_file_compression(zip, UInt64(index), method, 0) == 0, dated == 0 else {
                    throw Self.failure(of: zip)
                }
            }
        }

        /// Adds a text.
        package func add(_ name: String, text: String) throws(Failed) { try add(name, Array(text.utf8)) }

        /// Writes the archive. Nothing may be added afterwards.
        package func finish() throws(Failed) {
            try state.withLock { state throws(Failed) in
                guard let zip = state.zip else { throw Failed(description: "the archive is closed") }
                guard zip_close(zip) == 0 else { throw Self.failure(of: zip) }
                state.zip = nil
            }
        }

        private static func write(_ bytes: [UInt8], to descriptor: Int32) throws(Failed) {
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { throw failure(errno) }
                rest = rest.dropFirst(count)
            }
        }

        private static func failure(_ code: Int32) -> Failed {
            Failed(description: "the members cannot be kept: \(String(cString: strerror(code)))", code: code)
        }

        private static func failure(of zip: OpaquePointer) -> Failed {
            let code = zip_get_error(zip).map { zip_error_code_system($0) } ?? 0
            let reason = zip_strerror(zip).map { String(cString: $0) } ?? "libzip does not say why"
            return Failed(description: reason, code: code)
        }
    }
}
