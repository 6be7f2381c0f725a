import DeviceFleet
import Experiment
import FleetModel
import HomomorphicEncryption
import LiveStack
import LiveValidation
import PrivateInformationRetrieval
import RandomStreams
import URLFilter
import Workload

extension ExitStatus {
    /// Whose fault an error is: bad input has a type of its own in every module that reads something.
    init(of error: any Error) {
        switch error {
        case StandardOutputError.readerGone: self = .readerGone
        case OutputLockError.held: self = .invalidInput
        case InputError.unwritable, LiveValidationError.wrongModel: self = .failure
        case is ScenarioError, is ObjectiveError, is PreparationError, is ProfileError, is CostProfileError,
            is InputError, is BlockListError, is TraceError, is TracePopulationError, is BrowsingError,
            is DistributionError,
            is BloomError, is URLParsingError, is EncryptionParametersError, is KeywordDatabaseError,
            is ProcessConfigurationError, is UnusableInput, is WireError, is DatabaseShapeError,
            is ProcessedDatabaseError, is ResultFileError, is ComparisonError, is TuningError,
            is CapacityError, is StudyFolderError, is SweepError, is PercentileError, is SheetError,
            is LiveValidationError, is FileConflict, is AddressError, is AddressError.Certificates,
            is ForeignService:
            self = .invalidInput
        case LiveStackError.unusableTLSFile, LiveStackError.unusableState: self = .invalidInput
        default: self = .failure
        }
    }
}
