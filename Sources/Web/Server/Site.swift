import Community
import Logging
import Postgres
import Synchronization

/// What every route works with: the community, how this server is reached, and the server's own bookkeeping.
package final class Site: Sendable {
    package let community: Community
    package let settings: SiteSettings
    package let limits: ServerLimits
    package let status: ServerStatus
    /// What `/metrics` prints; `nil` where nothing collects.
    package let metrics: Prometheus?
    package let cursors: CursorSealer
    /// One for every way in, so that a caller's calls and streams are counted together.
    let rates = RateLimiter()
    let trustedProxies: [AddressRange]
    let connections: ConnectionCounter
    private let streams = Mutex<EventStream.Hub?>(nil)

    package init(
        community: Community, settings: SiteSettings, limits: ServerLimits = ServerLimits(),
        status: ServerStatus = ServerStatus(),
        metrics: Prometheus? = nil
    ) {
        self.community = community
        self.settings = settings
        self.limits = limits
        self.status = status
        self.metrics = metrics
        self.cursors = CursorSealer(secret: community.services.settings.secret)
        self.trustedProxies = settings.trustedProxies.compactMap(AddressRange.init(text:))
        self.connections = ConnectionCounter(limits: limits, trusted: trustedProxies)
    }

    /// The hub whose streams the routes open; `nil` before it is known, and in memory.
    var hub: EventStream.Hub? { streams.withLock { $0 } }

    /// From now on the routes open streams of `hub`.
    package func connect(_ hub: EventStream.Hub) { streams.withLock { $0 = hub } }

    /// Takes one call of the caller's; `nil` where such calls are not limited. Throws `Failure.limited` where none is left.
    func admit(_ policy: RateClass, by caller: RateLimiter.Caller) throws(Failure) -> RateLimiter.Verdict? {
        guard settings.limitsRates, let verdict = rates.take(policy, by: caller) else { return nil }
        guard verdict.isAllowed else {
            throw .limited(policy: policy.rawValue, retryAfter: .seconds(verdict.seconds))
        }
        return verdict
    }
}

/// How this server presents itself. The limits are those of `ServerLimits`.
package struct SiteSettings: Sendable {
    /// Shown by `GET /api/v1/server`.
    package var name: String
    package var rules: [String]
    /// An address or page for questions; `nil` where the owner gave none.
    package var contact: String?
    /// `scheme://host[:port][/path]` without a slash at the end; `nil` while the owner has not set it: then only loopback hosts are answered.
    package var publicURL: String?
    /// Addresses (or `address/bits`) whose `X-Forwarded-For` is believed.
    package var trustedProxies: [String]
    /// Origins whose pages may call from a browser, such as `https://app.example.org`; empty: every one.
    package var origins: [String]
    /// Off on loopback only, for benches and tests.
    package var limitsRates: Bool
    package var version: String

    package init(
        name: String = "Commonplace", rules: [String] = [], contact: String? = nil, publicURL: String? = nil,
        trustedProxies: [String] = [], origins: [String] = [], limitsRates: Bool = true, version: String = "0.1.0"
    ) {
        self.name = name
        self.rules = rules
        self.contact = contact
        self.publicURL = publicURL
        self.trustedProxies = trustedProxies
        self.origins = origins
        self.limitsRates = limitsRates
        self.version = version
    }
}
