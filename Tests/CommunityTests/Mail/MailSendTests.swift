import Foundation
import Jobs
import Postgres
import SMTP
import TestSupport
import Testing

@testable import Community

@Suite(.database) struct MailSendTests {
    private let mail = Mail(
        to: "ann@example.org", subject: "Prove your address", text: "https://x/?token=cpv_secret",
        messageID: "1@example.org")

    @Test func `a mail that commits with its cause is sent once, and its row holds nothing readable`() async throws {
        try await withWorld { world in
            let worker = worker(for: world.community, world)
            let send = try Mail.Send(mail, sealedBy: world.services.settings.secret)
            _ = try await world.database.transaction { try await send.enqueue(in: $0) }
            _ = try await world.database.transaction { try await send.enqueue(in: $0) }

            let stored = try await world.asSuperuser("select payload::text from job")
            #expect(stored.count == 1)
            let row = stored.first?.first?.flatMap(\.self) ?? ""
            for secret in ["cpv_secret", "ann@example.org", "Prove", Data("cpv_secret".utf8).base64EncodedString()] {
                #expect(!row.contains(secret))
            }
            try await worker.drain()
            #expect(world.mail.sent == [mail])
        }
    }

    @Test func `what the other side refuses for good is dead at once, what it puts off is tried again`() async throws {
        try await withWorld(leaving: .jobs) { world in
            for (error, state) in [(MailError.refused("no such reader"), "dead"), (.temporary("busy"), "ready")] {
                let community = Community(
                    world.services, mailer: FailingMailer(error: error), media: world.community.media.facilities,
                    endings: [])
                let worker = worker(for: community, world)
                try await Mail.Send(mail, sealedBy: world.services.settings.secret).enqueue(in: world.database)

                #expect(try await worker.drain().failures.count == 1)
                #expect(try await world.asSuperuser("select state from job order by id desc limit 1") == [[state]])
            }
        }
    }

    @Test func `a mail sealed with another secret is given up`() async throws {
        try await withWorld { world in
            let worker = worker(for: world.community, world)
            try await Mail.Send(mail, sealedBy: SecretKey(from: SystemRandom())).enqueue(in: world.database)

            try await worker.drain()

            #expect(world.mail.sent.isEmpty)
            #expect(try await world.asSuperuser("select state from job") == [["dead"]])
        }
    }

    private func worker(for community: Community, _ world: World) -> Jobs.Worker {
        let worker = Jobs.Worker(database: world.database, logger: world.logger)
        Mail.register(on: worker, community: community)
        return worker
    }
}

private struct FailingMailer: Mailer {
    let error: MailError
    func send(_ mail: Mail) async throws { throw error }
}
