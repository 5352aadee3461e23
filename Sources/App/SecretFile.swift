import Community
import FoundationEssentials
import Glibc
import PlainText

/// The server's secret: from its setting, else from `secret.key` in the data folder, made there on the first start.
enum SecretFile {
    static func secret(_ settings: Settings, random: any RandomSource) throws -> SecretKey {
        if let bytes = settings.secretKey, let secret = SecretKey(bytes: bytes) { return secret }
        let path = settings.dataFolder + "/secret.key"
        if let secret = try read(path) { return secret }
        do {
            try FileManager.default.createDirectory(
                atPath: settings.dataFolder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            try write(random.bytes(SecretKey.length), to: path)
        } catch {
            throw CommandError(
                .configuration,
                "the data folder \(settings.dataFolder) cannot be written; set COMMONPLACE_DATA_DIR to one that can, or COMMONPLACE_SECRET_KEY_FILE"
            )
        }
        // Of two that start at once one wrote it: both read what stands there.
        guard let secret = try read(path) else {
            throw CommandError(
                .configuration,
                "the secret \(path) is damaged; put back its copy or remove it (stored idempotent replies and cursors end)"
            )
        }
        return secret
    }

    private static func read(_ path: String) throws -> SecretKey? {
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
            throw CommandError(
                .configuration, "the secret \(path) cannot be read; its owner must be the user that runs this program")
        }
        return [UInt8](hexadecimal: text.trimmed()).flatMap(
            SecretKey.init(bytes:))
    }

    /// Readable by its owner alone, whole or not at all; keeps a file that is there already.
    private static func write(_ bytes: [UInt8], to path: String) throws {
        let text = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() + "\n"
        let draft = "\(path).\(getpid())"
        let file = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
        let written = Array(text.utf8).withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
        fsync(file)
        close(file)
        defer { unlink(draft) }
        guard written == text.utf8.count else { throw POSIXError(.EIO) }
        guard link(draft, path) == 0 || errno == EEXIST else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
    }
}
