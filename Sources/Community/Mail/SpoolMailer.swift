import Foundation
import NIOPosix

/// Puts each mail into a folder as one file, `MESSAGE-ID.eml`, RFC 5322 text: for trying the program out, for tests, and for a mail system that
/// collects from a folder. A mail sent again replaces its file.
package struct SpoolMailer: Mailer {
    private let folder: String
    private let sender: MailSender
    private let clock: any WallClock

    /// Makes the folder, readable by its owner alone, where it is not there.
    package init(folder: String, sender: MailSender, clock: any WallClock) throws {
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        self.folder = folder
        self.sender = sender
        self.clock = clock
    }

    package func send(_ mail: Mail) async throws {
        let message = try mail.message(from: sender, at: clock.now())
        let name = mail.messageID.map { $0.isASCII && ($0.isLetter || $0.isNumber || "@.-_".contains($0)) ? $0 : "_" }
        let path = folder + "/" + String(name) + ".eml"
        do {
            try await NIOThreadPool.singleton.runIfActive { try Self.write(message, to: path) }
        } catch let error as MailError {
            throw error
        } catch {
            throw MailError.temporary("the spool folder cannot be written")
        }
    }

    /// Whoever looks into the folder sees the whole file or none: it gets its name when its bytes are on disk.
    private static func write(_ bytes: [UInt8], to path: String) throws {
        let draft = path + ".part"
        let file = open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw MailError.temporary("the spool folder cannot be written (\(errno))") }
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Foundation.write(file, $0.baseAddress, $0.count) }
            guard count > 0 || errno == EINTR else { break }
            rest = rest.dropFirst(max(count, 0))
        }
        let isWritten = rest.isEmpty && fsync(file) == 0
        guard close(file) == 0, isWritten, rename(draft, path) == 0 else {
            unlink(draft)
            throw MailError.temporary("the spool folder cannot be written (\(errno))")
        }
    }
}
