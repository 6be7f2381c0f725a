import Testing
import Timing

@Suite("The machine") struct MachineTests {
    @Test func aProcessorIsCalledAsLinuxCallsIt() {
        let x86 = "processor\t: 0\nmodel\t\t: 85\nmodel name\t: Intel(R) Xeon(R): Gold\n"
        #expect(Machine.processorName(in: x86) == "Intel(R) Xeon(R): Gold")
    }

    /// Cache files of cost profiles are told apart by it. As a Raspberry Pi 4 has it.
    @Test func onArmItIsCalledByItsNumbers() {
        let arm = "processor\t: 0\nBogoMIPS\t: 108.00\nCPU implementer\t: 0x41\nCPU part\t: 0xd08\n"
        #expect(Machine.processorName(in: arm) == "Arm processor of implementer 0x41, part 0xd08")
    }

    @Test func withoutANameThereIsNone() {
        #expect(Machine.processorName(in: "processor\t: 0\n") == nil)
    }
}
