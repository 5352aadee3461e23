import Testing

@testable import Community

/// The time of converters, counted by account.
struct ConversionBudgetTests {
    private let ann = ID<Accounts.Account>(rawValue: 1)
    private let ben = ID<Accounts.Account>(rawValue: 2)

    /// Seconds to wait; `nil` where a conversion may begin.
    private func wait(
        _ budget: Media.ConversionBudget, _ account: ID<Accounts.Account>, at now: ContinuousClock.Instant
    ) -> Int64? {
        do {
            budget.end(try budget.begin(account, now: now), took: .zero, now: now)
            return nil
        } catch .limited(policy: "picture_conversion", let wait) {
            return wait.components.seconds
        } catch {
            Issue.record(error)
            return nil
        }
    }

    @Test func `an account that has used its time up waits until enough of it is back`() throws {
        let budget = Media.ConversionBudget()
        let start = ContinuousClock.now
        for _ in 0..<4 {
            budget.end(try budget.begin(ann, now: start), took: .seconds(15), now: start)
        }
        // A conversion of 15 s needs a quarter of the 60 s that come back in half an hour.
        #expect(wait(budget, ann, at: start) == 450)
        #expect(wait(budget, ben, at: start) == nil)
        #expect(wait(budget, ann, at: start + .seconds(440)) == 10)
        #expect(wait(budget, ann, at: start + .seconds(451)) == nil)
    }

    @Test func `what conversions did not need is given back, so that many small ones go through`() throws {
        let budget = Media.ConversionBudget()
        let start = ContinuousClock.now
        for _ in 0..<40 {
            budget.end(try budget.begin(ann, now: start), took: .seconds(1), now: start)
        }
        #expect(wait(budget, ann, at: start) == nil)
    }

    @Test func `an account has no more at once than its time covers`() throws {
        let budget = Media.ConversionBudget()
        let start = ContinuousClock.now
        let turns = try (0..<4).map { _ in try budget.begin(ann, now: start) }
        #expect(wait(budget, ann, at: start) == 15)
        budget.end(turns[0], took: .milliseconds(200), now: start)
        // The fifth of a second has to come back.
        #expect(wait(budget, ann, at: start + .seconds(6)) == nil)
    }

    @Test func `beyond the accounts that are counted, newcomers share one count`() throws {
        let budget = Media.ConversionBudget(capacity: 1)
        let start = ContinuousClock.now
        budget.end(try budget.begin(ann, now: start), took: .seconds(60), now: start)
        budget.end(try budget.begin(ben, now: start), took: .seconds(60), now: start)
        #expect(wait(budget, ID(rawValue: 3), at: start) == 450)
        // When those that were counted have all of their time back, they are forgotten.
        #expect(wait(budget, ID(rawValue: 3), at: start + .seconds(1_801)) == nil)
    }
}
