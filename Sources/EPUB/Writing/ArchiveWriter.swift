import CZip
import Glibc

extension EPUB {
    /// Makes a ZIP archive, through libzip. The same members make the same bytes: all are dated 1980.
    ///
    /// What is added is held in memory until `finish`.
    package final class ArchiveWriter {
        package struct Failed: Error, CustomStringConvertible {
            package let description: String
        }

        private var zip: OpaquePointer?

        /// In place of what is at `path`. Throws where it cannot be written.
        package init(_ path: String) throws(Failed) {
            var status: Int32 = 0
            zip = zip_open(path, ZIP_CREATE | ZIP_TRUNCATE, &status)
            guard zip != nil else { throw Failed(description: "the archive cannot be made: \(status)") }
        }

        deinit { if let zip { zip_discard(zip) } }

        /// Adds a member behind the others. `isStored`: as it is, not compressed.
        package func add(_ name: String, _ bytes: [UInt8], isStored: Bool = false) throws(Failed) {
            // Freed by libzip, with `free`.
            guard let copy = malloc(max(bytes.count, 1)) else { throw Failed(description: "there is no memory") }
            bytes.withUnsafeBytes { if let from = $0.baseAddress { memcpy(copy, from, bytes.count) } }
            guard let source = zip_source_buffer(zip, copy, UInt64(bytes.count), 1) else {
                free(copy)
                throw failure
            }
            let index = zip_file_add(zip, name, source, zip_flags_t(ZIP_FL_ENC_UTF_8))
            guard index >= 0 else {
                zip_source_free(source)
                throw failure
            }
            let method = isStored ? ZIP_CM_STORE : ZIP_CM_DEFLATE
            guard zip_set_file_compression(zip, UInt64(index), method, 0) == 0,
                zip_file_set_dostime(zip, UInt64(index), 0, 33, 0) == 0
            else { throw failure }
        }

        /// Adds a text.
        package func add(_ name: String, text: String) throws(Failed) { try add(name, Array(text.utf8)) }

        /// Writes the archive. Nothing may be added afterwards.
        package func finish() throws(Failed) {
            guard zip_close(zip) == 0 else { throw failure }
            zip = nil
        }

        private var failure: Failed {
            Failed(description: zip.flatMap { zip_strerror($0) }.map { String(cString: $0) } ?? "the archive is closed")
        }
    }
}
