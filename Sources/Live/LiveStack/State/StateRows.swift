import Foundation
import GRDB

/// Reading rows of a file that may hold anything: SQLite keeps values of any type in any column, and a file may come
/// from elsewhere. GRDB's subscripts end the process at a value of another type.
extension Row {
    /// - Throws: `DatabaseError` without the value, which may be a key.
    func value<Value: DatabaseValueConvertible>(_ column: String) throws -> Value {
        do {
            return try decode(forColumn: column)
        } catch {
            throw DatabaseError(
                resultCode: .SQLITE_MISMATCH, message: "column '\(column)' has a value of another type")
        }
    }
}

extension DatabasePool {
    /// Reads what the server needs to start.
    ///
    /// - Throws: `LiveStackError.unusableState` if it cannot be read, or is not what this program wrote.
    func readState<Result>(_ body: (Database) throws -> Result) throws -> Result {
        do {
            return try read(body)
        } catch let error as DatabaseError {
            throw LiveStackError.unusableState(path, reason: error.message ?? "\(error.resultCode)")
        } catch {
            throw LiveStackError.unusableState(path, reason: "\(error)")
        }
    }
}
