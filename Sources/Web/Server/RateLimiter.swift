import Community
import HTTPTypes
import Metrics
import Synchronization

/// Token buckets in memory, one for each rate class and caller (the account, else the address).
///
/// A bucket holds `quota` and refills evenly over `window`. Counts belong to this process: with several behind a proxy each allows the
/// whole quota, so what must hold exactly (log-in throttles, first-day limits) is counted in Postgres by its domain.
package final class RateLimiter: Sendable {
    package struct Policy: Sendable {
        package let quota: Int
        /// Seconds in which a whole quota comes back.
        package let window: Int
    }

    package static let policies: [RateClass: Policy] = [
        .read: Policy(quota: 600, window: 60),
        .write: Policy(quota: 120, window: 60),
        .search: Policy(quota: 120, window: 60),
        .costly: Policy(quota: 60, window: 600),
        .auth: Policy(quota: 60, window: 300),
        .stream: Policy(quota: 60, window: 60),
        .upload: Policy(quota: 120, window: 1800),
        .image: Policy(quota: 1200, window: 60),
        .address: Policy(quota: 3000, window: 60),
    ]

    package enum Caller: Hashable, Sendable {
        case account(ID<Accounts.Account>)
        case address(ClientAddress)
    }

    /// What one call found.
    package struct Verdict: Sendable {
        package let isAllowed: Bool
        package let remaining: Int
        /// Seconds until one more call is allowed, or until the bucket is full for an allowed one.
        package let seconds: Int
        package let policy: RateClass
    }

    private struct Key: Hashable {
        let policy: RateClass
        let caller: Caller
    }

    private struct Bucket {
        var tokens: Double
        var filledAt: ContinuousClock.Instant
    }

    /// Buckets kept; beyond it the full ones are forgotten, and where none is full, new callers share one bucket of their class.
    private static let capacity = 100_000
    private struct State {
        var buckets: [Key: Bucket] = [:]
        /// Forgetting looks at every bucket, so it is done once a second at most.
        var sweptAt: ContinuousClock.Instant?
    }

    private let state = Mutex(State())
    private let limited = Dictionary(
        uniqueKeysWithValues: RateClass.allCases.map {
            ($0, Counter(label: "commonplace_rate_limited_total", dimensions: [("policy", $0.rawValue)]))
        })

    package init() {}

    /// Takes one token from the caller's bucket; `nil` for a class without a policy.
    package func take(_ policy: RateClass, by caller: Caller, now: ContinuousClock.Instant = .now) -> Verdict? {
        guard let rule = Self.policies[policy] else { return nil }
        let rate = Double(rule.quota) / Double(rule.window)
        let (isAllowed, tokens) = state.withLock { state in
            var key = Key(policy: policy, caller: caller)
            if state.buckets.count >= Self.capacity, state.buckets[key] == nil {
                forgetFull(&state, now)
                if state.buckets.count >= Self.capacity { key = Key(policy: policy, caller: .address(.local)) }
            }
            var bucket = state.buckets[key] ?? Bucket(tokens: Double(rule.quota), filledAt: now)
            bucket.tokens = min(Double(rule.quota), bucket.tokens + rate * max(0, (now - bucket.filledAt).seconds))
            bucket.filledAt = now
            let isAllowed = bucket.tokens >= 1
            if isAllowed { bucket.tokens -= 1 }
            state.buckets[key] = bucket
            return (isAllowed, bucket.tokens)
        }
        if !isAllowed { limited[policy]?.increment() }
        let missing = isAllowed ? Double(rule.quota) - tokens : 1 - tokens
        return Verdict(
            isAllowed: isAllowed, remaining: Int(tokens), seconds: max(1, Int((missing / rate).rounded(.up))),
            policy: policy)
    }

    /// Buckets that are kept now.
    var bucketCount: Int { state.withLock { $0.buckets.count } }

    private func forgetFull(_ state: inout State, _ now: ContinuousClock.Instant) {
        if let sweptAt = state.sweptAt, now - sweptAt < .seconds(1) { return }
        state.sweptAt = now
        state.buckets = state.buckets.filter { key, bucket in
            guard let rule = Self.policies[key.policy] else { return false }
            return (now - bucket.filledAt).seconds < Double(rule.window)
        }
    }
}

extension RateLimiter.Verdict {
    /// `RateLimit` and `RateLimit-Policy` of draft-ietf-httpapi-ratelimit-headers.
    func add(to headers: inout HTTPFields) {
        guard let rule = RateLimiter.policies[policy] else { return }
        headers[.rateLimitPolicy] = "\"\(policy.rawValue)\";q=\(rule.quota);w=\(rule.window)"
        headers[.rateLimit] = "\"\(policy.rawValue)\";r=\(remaining);t=\(seconds)"
    }
}

extension Duration {
    /// As a fraction.
    var seconds: Double {
        let (seconds, attoseconds) = components
        return Double(seconds) + Double(attoseconds) / 1e18
    }
}
