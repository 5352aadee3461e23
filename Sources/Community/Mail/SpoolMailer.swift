import FoundationEssentials
import NIOPosix
import SMTP

/// Puts each mail into a folder as one file, `ACCOUNT.MESSAGE-ID.eml` (`MESSAGE-ID.eml` for one to nobody of ours), RFC
/// 5322 text: for trying the program out, for tests, and for a mail system that collects from a folder. A mail sent
/// again replaces its file.
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
        let path = folder + "/" + (mail.account.map { $0.text + "." } ?? "") + String(name) + ".eml"
        do {
            // The program that collects sees the whole file or none.
            try await NIOThreadPool.singleton.runIfActive { try DurableFile.write(message, to: path) }
        } catch {
            throw MailError.temporary("the spool folder cannot be written")
        }
    }

    /// Removes the files of one account's mails.
    package func forget(_ account: ID<Accounts.Account>) async throws {
        let (folder, prefix) = (folder, account.text + ".")
        do {
            try await NIOThreadPool.singleton.runIfActive {
                let files = FileManager.default
                for name in try files.contentsOfDirectory(atPath: folder) where name.hasPrefix(prefix) {
                    try files.removeItem(atPath: folder + "/" + name)
                }
            }
        } catch {
            throw MailError.temporary("the spool folder cannot be read")
        }
    }
}
