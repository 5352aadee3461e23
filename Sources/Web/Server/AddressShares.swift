import Synchronization

/// How many turns of a gate each address has taken, waiting ones among them: no address takes more than `each`, so that none shuts the
/// others out. Loopback, where everybody has the same one, takes as many as there are.
final class AddressShares: Sendable {
    private let taken = Mutex<[ClientAddress: Int]>([:])
    private let each: Int

    init(each: Int) { self.each = each }

    /// False where the address has all that it may have; then nothing is to be given back.
    func take(_ address: ClientAddress) -> Bool {
        taken.withLock { taken in
            let count = taken[address, default: 0]
            guard count < each || address.isLoopback else { return false }
            taken[address] = count + 1
            return true
        }
    }

    func give(_ address: ClientAddress) {
        taken.withLock { taken in
            guard let count = taken[address] else { return }
            taken[address] = count > 1 ? count - 1 : nil
        }
    }
}
