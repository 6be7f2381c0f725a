import Synchronization

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Scratch memory of an operation, used as a stack and kept for the next operation.
///
/// After some operations of a kind, further ones allocate nothing.
package final class Workspace {
    /// A state to go back to.
    struct Mark {
        fileprivate let block: Int
        fileprivate let offset: Int
    }

    private static let blockByteCount = 4 << 20

    private var blocks: [RowMemory] = []
    private var block = 0
    private var offset = 0
    /// The highest point that was reached since the workspace was lent.
    private var highest = Mark(block: 0, offset: 0)

    fileprivate init() {}

    /// Memory of all blocks, in bytes.
    fileprivate var byteCount: Int { blocks.reduce(0) { $0 + $1.byteCount } }

    /// Rows with whatever earlier operations left in them, until the scope ends.
    func rows(_ count: Int, stride: Int) -> Rows {
        Rows(start: memory(byteCount: count * stride), stride: stride, count: count)
    }

    /// Memory on a 64-byte boundary, until the scope ends.
    func memory(byteCount: Int) -> UnsafeMutableRawPointer {
        let needed = (byteCount + 63) & ~63
        while block < blocks.count, blocks[block].byteCount - offset < needed {
            block += 1
            offset = 0
        }
        if block == blocks.count {
            blocks.append(RowMemory(byteCount: max(needed, Self.blockByteCount)))
            offset = 0
        }
        defer {
            offset += needed
            if (highest.block, highest.offset) < (block, offset) { highest = mark }
        }
        return blocks[block].start + offset
    }

    var mark: Mark { Mark(block: block, offset: offset) }

    func release(to mark: Mark) {
        block = mark.block
        offset = mark.offset
    }

    /// Gives back what `body` takes.
    package func scope<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result
    {
        let start = mark
        defer { release(to: start) }
        return try body()
    }

    /// Gives back everything, and overwrites it if it is secret.
    fileprivate func reset(isSecret: Bool) {
        if isSecret {
            for index in blocks.indices.prefix(highest.block + 1) {
                let used = index == highest.block ? highest.offset : blocks[index].byteCount
                overwrite(UnsafeMutableRawBufferPointer(start: blocks[index].start, count: used))
            }
        }
        block = 0
        offset = 0
        highest = mark
    }
}

/// Workspaces that are not in use.
final class WorkspacePool: Sendable {
    /// Most memory that is kept for later, in bytes.
    private static let keptByteCount = 48 << 20

    /// Wrapped because a workspace belongs to one operation at a time: whoever took it out of the list.
    private struct Idle: @unchecked Sendable {
        var workspaces: [Workspace] = []
    }

    private let idle = Mutex(Idle())

    /// Lends a workspace.
    ///
    /// - Parameter isSecret: Whether what it held is to be overwritten afterwards.
    func lend<Result, Failure: Error>(
        isSecret: Bool = false, _ body: (Workspace) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let workspace = take()
        defer { giveBack(workspace, isSecret: isSecret) }
        return try body(workspace)
    }

    private func take() -> Workspace {
        nonisolated(unsafe) var workspace: Workspace?
        idle.withLock { workspace = $0.workspaces.popLast() }
        return workspace ?? Workspace()
    }

    private func giveBack(_ workspace: Workspace, isSecret: Bool) {
        workspace.reset(isSecret: isSecret)
        nonisolated(unsafe) let returned = workspace
        idle.withLock { idle in
            let kept = idle.workspaces.reduce(0) { $0 + $1.byteCount }
            if kept + returned.byteCount <= Self.keptByteCount { idle.workspaces.append(returned) }
        }
    }
}

/// Fills memory with zeros by a call that the optimizer may not drop.
func overwrite(_ memory: UnsafeMutableRawBufferPointer) {
    guard let start = memory.baseAddress else { return }
    #if canImport(Darwin)
        memset_s(start, memory.count, 0, memory.count)
    #else
        explicit_bzero(start, memory.count)
    #endif
}
