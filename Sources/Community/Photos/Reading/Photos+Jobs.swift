import Jobs
import Postgres

extension Photos {
    /// Reads the words of a photograph.
    package struct ReadWords: Job {
        package static let kind = "photos.read"
        /// One at a time in each process: reading takes a core for some seconds.
        package static let queue = "photos"
        /// The last about forty minutes after the first, for a disk that was full or a program that was being renewed.
        package static let attempts = 7
        /// Another may be before it.
        package static let timeout = Limits.photos.readingTime * 3

        let photo: ID<Photo>
        /// Another image of the same photograph is another job.
        let picture: ID<Media.Picture>

        package var uniqueKey: String? { picture.text }
    }

    /// Hourly: photographs whose words were not read because this server could not, and those that were forgotten.
    package struct TakeUpWords: Job {
        package static let kind = "photos.take_up"
        package static let queue = "photos"
        package var uniqueKey: String? { "all" }

        package init() {}
    }

    package static func register(on worker: Jobs.Worker, community: Community) {
        worker.limit("photos", to: 1)
        worker.handle(ReadWords.self) { job, attempt in try await community.photos.read(job, attempt) }
        worker.handle(TakeUpWords.self) { _, _ in _ = try await community.photos.takeUpWords() }
        worker.schedule("photos.take_up", every: .seconds(3600), offset: .seconds(600)) { TakeUpWords() }
    }
}
