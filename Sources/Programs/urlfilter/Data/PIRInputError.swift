import CommandSupport
import HomomorphicEncryption
import PrivateInformationRetrieval

/// Adds the file to errors of the PIR modules that come from one and do not name it.
enum PIRInputError {
    /// Names the file at fault in processing: the rows are the database's, the rest the configuration's.
    static func naming<Result>(_ file: PIR.ConfigurationFile, _ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error as FileError {
            throw try unusable(error)
        } catch let error as KeywordDatabaseFileError {
            throw UnusableInput(file.configuration.inputDatabase, error)
        } catch let error as KeywordDatabaseError {
            if case .settingOutOfRange = error { throw UnusableInput(file.path, error) }
            throw UnusableInput(file.configuration.inputDatabase, error)
        } catch let error as ProcessConfigurationError {
            throw UnusableInput(file.path, error)
        } catch let error as DatabaseShapeError {
            throw UnusableInput(file.path, error)
        } catch let error as EncryptionParametersError {
            throw UnusableInput(file.path, error)
        } catch let error as DatabaseProcessorError {
            throw UnusableInput(file.path, error)
        } catch let error as DatabaseUpdateError {
            if case .unusable(let path, let reason) = error { throw UnusableInput(path, reason) }
            throw UnusableInput(
                file.path,
                "\(error); without --update, or with --allow-new-parameters, all shards are made anew")
        }
    }

    /// Names the file at fault in loading one shard.
    static func naming<Result>(
        database: String, parameters: String, _ body: () throws -> Result
    ) throws -> Result {
        do {
            return try body()
        } catch let error as FileError {
            throw try unusable(error)
        } catch let error as ProcessedDatabaseError {
            throw UnusableInput(database, error)
        } catch let error as SerializationError {
            throw UnusableInput(database, error)
        } catch let error as StoredShardError {
            throw UnusableInput(database, error)
        } catch let error as HashBucketError {
            throw UnusableInput(database, error)
        } catch let error as WireError {
            throw UnusableInput(parameters, error)
        } catch let error as DatabaseShapeError {
            throw UnusableInput(parameters, error)
        } catch let error as EncryptionParametersError {
            throw UnusableInput(parameters, error)
        } catch let error as KeywordDatabaseError {
            throw UnusableInput(parameters, error)
        } catch let error as PIRError {
            throw UnusableInput(parameters, error)
        } catch let error as BFVError {
            throw UnusableInput(parameters, error)
        }
    }

    /// - Throws: What is not the input's fault, unchanged.
    private static func unusable(_ error: FileError) throws -> UnusableInput {
        switch error {
        case .cannotOpen(let path): UnusableInput(path, "there is no such file, or it cannot be read")
        case .cannotRead(let path, let reason): UnusableInput(path, "reading stopped: \(reason)")
        case .tooLarge(let path, let byteCount, let limit):
            UnusableInput(path, "the file has \(byteCount) bytes; at most \(limit) are allowed")
        case .cannotWrite: throw error
        }
    }
}
