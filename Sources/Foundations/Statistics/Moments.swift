/// Count, mean and spread of a list of numbers.
struct Moments {
    let count: Int
    let mean: Double
    /// Sum of the squared distances to the mean; exactly 0 for equal numbers.
    let squaredDistances: Double

    /// Divides by `count - 1`; not defined for one number.
    var variance: Double { squaredDistances / Double(count - 1) }

    /// `nil` for an empty list, and when a number or a result is not finite.
    init?(_ samples: some Collection<Double>) {
        var count = 0
        var mean = 0.0
        for sample in samples {
            count += 1
            mean += (sample - mean) / Double(count)
        }
        guard count > 0, mean.isFinite else { return nil }
        // A second pass, corrected for the rounding of the mean: one pass loses
        // half the digits when the mean is large compared with the spread.
        var distances = 0.0
        var squares = 0.0
        for sample in samples {
            distances += sample - mean
            squares += (sample - mean) * (sample - mean)
        }
        let squaredDistances = max(0, squares - distances * distances / Double(count))
        guard squaredDistances.isFinite else { return nil }
        self.count = count
        self.mean = mean
        self.squaredDistances = squaredDistances
    }

    /// The smallest difference that means something: that of the measurement, or what rounding makes of numbers as
    /// large as these and others.
    func resolution(_ quantum: Double, beside others: [Moments] = []) -> Double {
        let largest = others.reduce(mean.magnitude) { max($0, $1.mean.magnitude) }
        return max(quantum, 1e-12 * largest)
    }
}

/// Stops a caller that passes 95 for 95 %; a confidence that a user typed is
/// checked where it is read.
func requireConfidence(_ confidence: Double) {
    precondition(
        confidence > 0 && confidence < 1, "confidence is \(confidence); it must be between 0 and 1")
}
