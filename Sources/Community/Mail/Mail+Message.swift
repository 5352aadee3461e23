import FoundationEssentials
import Postgres
import SMTP

extension Mail {
    /// The mail as RFC 5322 text: lines end in CRLF and have at most 998 bytes, ASCII only.
    ///
    /// Headers beyond ASCII are encoded words (RFC 2047). The body goes as it is where it is ASCII in lines that fit,
    /// else quoted-printable.
    package func message(from sender: MailSender, at date: Timestamp) throws(MailError) -> [UInt8] {
        try check()
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        let isPlain = text.utf8.allSatisfy { $0 < 128 && $0 != 13 } && lines.allSatisfy { $0.utf8.count <= 998 }
        var message = """
            From: \(Self.phrase(sender.name))<\(sender.address)>
            To: <\(to)>
            Subject: \(Self.encodedWords(subject))
            Date: \(date.mailDate)
            Message-ID: <\(messageID)>
            MIME-Version: 1.0
            Content-Type: text/plain; charset=utf-8
            Content-Transfer-Encoding: \(isPlain ? "7bit" : "quoted-printable")
            Auto-Submitted: auto-generated

            """.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "\r\n")
        message += "\r\n"
        message += isPlain ? lines.joined(separator: "\r\n") : Self.quotedPrintable(text)
        if !message.hasSuffix("\r\n") { message += "\r\n" }
        return Array(message.utf8)
    }

    /// A display name before an address: quoted where it is ASCII, encoded words otherwise, nothing where it is empty.
    static func phrase(_ name: String) -> String {
        guard !name.isEmpty else { return "" }
        guard name.utf8.allSatisfy({ $0 < 128 }) else { return encodedWords(name) + " " }
        return "\"" + name.flatMap { "\"\\".contains($0) ? ["\\", $0] : [$0] } + "\" "
    }

    /// Text as it is where it is short ASCII; else as encoded words of at most 75 characters, none of which splits a
    /// character, on folded lines.
    static func encodedWords(_ text: String) -> String {
        if text.utf8.count <= 200, text.utf8.allSatisfy({ $0 < 128 }), !text.contains("=?") { return text }
        var words: [String] = []
        var chunk: [UInt8] = []
        for scalar in text.unicodeScalars {
            let bytes = Array(String(scalar).utf8)
            // 45 bytes are 60 characters of base64; `=?utf-8?B?` and `?=` are 12 more.
            if chunk.count + bytes.count > 45 {
                words.append("=?utf-8?B?" + Data(chunk).base64EncodedString() + "?=")
                chunk = []
            }
            chunk += bytes
        }
        words.append("=?utf-8?B?" + Data(chunk).base64EncodedString() + "?=")
        return words.joined(separator: "\r\n ")
    }

    /// RFC 2045 §6.7: lines of at most 76 characters, `\n` and `\r\n` as line ends.
    static func quotedPrintable(_ text: String) -> String {
        let hex = Array("0123456789ABCDEF".unicodeScalars)
        var output = ""
        for line in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
            var width = 0
            let bytes = Array(line.utf8)
            for (index, byte) in bytes.enumerated() {
                let isTrailingSpace = (byte == 32 || byte == 9) && index == bytes.count - 1
                let isLiteral = byte == 9 || (32...126).contains(byte) && byte != 61
                let token =
                    isLiteral && !isTrailingSpace
                    ? String(UnicodeScalar(byte)) : "=\(hex[Int(byte >> 4)])\(hex[Int(byte & 15)])"
                if width + token.utf8.count > 75 {
                    output += "=\r\n"
                    width = 0
                }
                output += token
                width += token.utf8.count
            }
            output += "\r\n"
        }
        return output
    }
}

extension Timestamp {
    /// `Sat, 31 Jan 2026 09:30:00 +0000`, as RFC 5322 §3.3 has it.
    var mailDate: String {
        let days = microseconds.flooredDivision(by: 86_400_000_000)
        let (year, month, day) = CalendarDate(days: Int32(days)).civil
        let weekdays = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        let weekday = weekdays[Int(days - days.flooredDivision(by: 7) * 7)]
        return "\(weekday), \(day) \(months[month - 1]) \(year) \(text.dropFirst(11).prefix(8)) +0000"
    }
}
