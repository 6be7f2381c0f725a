import Foundation

/// The normal distribution with mean 0 and deviation 1.
package enum StandardNormal {
    /// The 95 % and 99 % points, by which medians and percentiles of measured
    /// times are turned into log-normal parameters.
    package static let quantile95 = 1.644_853_626_951_472_7
    package static let quantile99 = 2.326_347_874_040_841

    /// Probability of a value of at most `z`.
    package static func cumulative(_ z: Double) -> Double {
        erfc(-z / 2.0.squareRoot()) / 2
    }

    /// The value that is not exceeded with probability `p`, `0 < p < 1`.
    ///
    /// Wichura's algorithm AS 241 (PPND16), doi:10.2307/2347330; relative
    /// accuracy about 10⁻¹⁶. One uniform number gives one normal number and
    /// larger gives larger, which keeps compared designs in step.
    package static func quantile(_ p: Double) -> Double {
        let q = p - 0.5
        if abs(q) <= 0.425 {
            let r = 0.180625 - q * q
            let above = Polynomial(
                3.387_132_872_796_366_608_0, 133.141_667_891_784_377_45, 1_971.590_950_306_551_442_7,
                13_731.693_765_509_461_125, 45_921.953_931_549_871_457, 67_265.770_927_008_700_853,
                33_430.575_583_588_128_105, 2_509.080_928_730_122_672_7)(r)
            let below = Polynomial(
                1, 42.313_330_701_600_911_252, 687.187_007_492_057_908_30, 5_394.196_021_424_751_107_7,
                21_213.794_301_586_595_867, 39_307.895_800_092_710_610, 28_729.085_735_721_942_674,
                5_226.495_278_852_854_561_0)(r)
            return q * above / below
        }
        let r = (-log(min(p, 1 - p))).squareRoot()
        let magnitude = r <= 5 ? middle(r - 1.6) : tail(r - 5)
        return q < 0 ? -magnitude : magnitude
    }

    private static func middle(_ r: Double) -> Double {
        let above = Polynomial(
            1.423_437_110_749_683_577_34, 4.630_337_846_156_545_295_90, 5.769_497_221_460_691_405_50,
            3.647_848_324_763_204_605_04, 1.270_458_252_452_368_382_58, 0.241_780_725_177_450_611_770,
            0.022_723_844_989_269_184_583_3, 7.745_450_142_783_414_076_4e-4)(r)
        let below = Polynomial(
            1, 2.053_191_626_637_758_821_87, 1.676_384_830_183_803_849_40, 0.689_767_334_985_100_004_55,
            0.148_103_976_427_480_074_59, 0.015_198_666_563_616_457_196_6, 5.475_938_084_995_344_946e-4,
            1.050_750_071_644_416_843_24e-9)(r)
        return above / below
    }

    private static func tail(_ r: Double) -> Double {
        let above = Polynomial(
            6.657_904_643_501_103_777_20, 5.463_784_911_164_114_369_90, 1.784_826_539_917_291_335_80,
            0.296_560_571_828_504_891_23, 0.026_532_189_526_576_123_093, 0.001_242_660_947_388_078_438_1,
            2.711_555_568_743_487_578_15e-5, 2.010_334_399_292_288_132_65e-7)(r)
        let below = Polynomial(
            1, 0.599_832_206_555_887_937_69, 0.136_929_880_922_735_805_31, 0.014_875_361_290_850_614_852_5,
            7.868_691_311_456_132_591e-4, 1.846_318_317_510_054_681_8e-5, 1.421_511_758_316_445_888_7e-7,
            2.044_263_103_389_939_785_64e-15)(r)
        return above / below
    }

    /// A polynomial of degree 7, its coefficients from the constant term on.
    private struct Polynomial {
        private let low: (Double, Double, Double, Double)
        private let high: (Double, Double, Double, Double)

        @inline(__always)
        init(
            _ c0: Double, _ c1: Double, _ c2: Double, _ c3: Double, _ c4: Double, _ c5: Double, _ c6: Double,
            _ c7: Double
        ) {
            low = (c0, c1, c2, c3)
            high = (c4, c5, c6, c7)
        }

        /// The value at `x`, by Horner's rule.
        @inline(__always)
        func callAsFunction(_ x: Double) -> Double {
            let upper = ((high.3 * x + high.2) * x + high.1) * x + high.0
            return (((upper * x + low.3) * x + low.2) * x + low.1) * x + low.0
        }
    }
}

extension RandomStream {
    /// A normal number with mean 0 and deviation 1. Takes one number of the stream.
    package mutating func standardNormal() -> Double {
        StandardNormal.quantile(uniform())
    }
}
