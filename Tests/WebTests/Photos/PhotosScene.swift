import Foundation
import Postgres
import TestSupport

@testable import Community

extension World {
    /// Deletes a photograph of a reader's. Gives whether it was there.
    func delete(_ photo: ID<Photos.Photo>, by reader: ID<Accounts.Account>) async throws -> Bool {
        try await database.transaction { transaction in
            try await transaction.run(Accounts.Statements.LockState(reader: reader))
            return try await Photos.remove(photo, by: reader, at: services.clock.now(), in: transaction)
        }
    }
}

/// What lies in the folder of a world's pictures.
func storedFiles(of world: World) throws -> [[UInt8]] {
    let folder = world.mediaFolder + "/files"
    guard let paths = FileManager.default.enumerator(atPath: folder) else { return [] }
    var files: [[UInt8]] = []
    for case let path as String in paths {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: folder + "/" + path, isDirectory: &isFolder), !isFolder.boolValue
        else { continue }
        files.append([UInt8](try Data(contentsOf: URL(filePath: folder + "/" + path))))
    }
    return files
}
