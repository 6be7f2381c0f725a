/// Cores of the machines that can be bought.
package enum MachineSizes {
    package static let all = [2, 4, 8, 16, 32, 64]
    package static let smallest = all[0]
}
