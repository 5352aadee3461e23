import Testing

@testable import Web

struct AddressSharesTests {
    @Test func `an address takes its share and no more, loopback what there is`() {
        let shares = AddressShares(each: 2)
        let (one, other) = (ClientAddress([203, 0, 113, 1]), ClientAddress([203, 0, 113, 2]))
        #expect(shares.take(one) && shares.take(one))
        #expect(!shares.take(one))
        #expect(shares.take(other))
        shares.give(one)
        #expect(shares.take(one))
        #expect(!shares.take(one))
        for _ in 0..<100 { #expect(shares.take(.local)) }
    }
}
