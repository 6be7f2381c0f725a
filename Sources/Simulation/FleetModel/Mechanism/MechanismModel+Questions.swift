package import EventSimulation
import URLFilter

/// A URL whose verdict a server has to confirm.
struct Question {
    let subject: Subject
    let device: Int
    /// The load goes on only with the verdict.
    let holds: Bool
    let asked: SimulatedTime
}

/// Questions to a server about what the device's list seems to have, through relay and gateway.
extension MechanismModel {
    static let questionLayout = WorldLayout(
        shared: [.relay], regional: [.gateway, .prefilterOrigin], stations: [.gateway],
        routes: { regionCount in
            (0..<regionCount).map { region in
                Route(hops: [
                    .travel(.uplink), .pass(part: 0), .travel(.relayed(by: 0)),
                    .serve(
                        Service(
                            part: 1 + 2 * region, station: region, stage: 0, tally: 1, reads: true,
                            knowsSender: true)),
                    .travel(.relayed(by: 0)), .passBack(part: 0), .travel(.downlink),
                ])
            }
        })

    mutating func ask(
        _ subject: Subject, device: Int, holds: Bool, in world: inout World, _ agenda: inout Future
    ) throws {
        guard let question = mechanism.question else {
            preconditionFailure("this mechanism asks no server")
        }
        let now = agenda.now
        let slot = questions.insert(Question(subject: subject, device: device, holds: holds, asked: now))
        let name = questions.name(of: slot)
        world.hold(load: subject.load)
        world.record.series.update(at: now) { $0.lookups += 1 }
        if world.counts(subject.began) { world.record.urls.hit += 1 }
        agenda.schedule(
            .filter(.verdictTimeout(question: name.slot, generation: name.generation)),
            after: verdictTimeout)
        world.post.requests.enter(at: now)
        let message = world.post.messages.insert(
            Message(
                device: device, kind: 0, region: world.region(for: device), items: subject.keys.count,
                started: now))
        if message >= asked.count {
            asked.append(contentsOf: repeatElement(nil, count: message - asked.count + 1))
        }
        asked[message] = name
        world.send(message, bytes: question.requestBytes, preparing: .zero, &agenda)
    }

    package mutating func work(
        on slot: Int, stage: UInt8, at server: ServerPlace, _ now: SimulatedTime, in world: inout World
    ) throws -> StageWork {
        guard let question = mechanism.question else {
            preconditionFailure("this mechanism has no servers")
        }
        return StageWork(cpu: question.cpu, bytes: question.responseBytes)
    }

    package mutating func read(_ slot: Int) throws -> (cpu: Int64, failure: Int?) { (0, nil) }

    package mutating func end(
        _ message: Message, slot: Int, in world: inout World, _ agenda: inout Future
    ) throws {
        guard let name = asked[slot], questions.contains(name) else { return }
        if message.succeeded {
            decide(name, nil, in: &world, &agenda)
        } else if message.failure != 0 {
            decide(name, FailureCause(status: message.failure), in: &world, &agenda)
        }
    }

    /// - Parameter failure: Why there is no answer; `nil` if there is one.
    mutating func decide(
        _ name: SlotName, _ failure: FailureCause?, in world: inout World, _ agenda: inout Future
    ) {
        let now = agenda.now
        let question = questions.remove(Int(name.slot))
        let subject = question.subject
        let wait = now - question.asked
        if let failure {
            if failure == .timeout { world.breakPage(subject.load, by: .late, at: now) }
            leaveToPolicy(
                subject, Obstacle(policy: mechanism.policy, cause: failure), in: &world, at: now)
        } else {
            world.record.health.count(failed: false, at: now)
            // The server's list is the one that is published.
            let isBlocked = subject.isOnList || mechanism.understandsMeant && subject.isMeant
            count(subject, isBlocked: isBlocked, wait: wait, in: &world, at: now)
        }
        world.release(load: subject.load, after: wait, holds: question.holds, &agenda)
    }

    private func count(
        _ subject: Subject, isBlocked: Bool, wait: SimulatedDuration, in world: inout World,
        at now: SimulatedTime
    ) {
        world.record.series.update(at: now) {
            $0.latencySum += wait.seconds
            $0.decided += 1
        }
        if subject.isListed, !isBlocked { world.countLeak(.unmatchable, began: subject.began, at: now) }
        guard world.counts(subject.began) else { return }
        world.record.verdictLatency.record(wait)
        if isBlocked {
            world.record.urls.blockedByServer += 1
            world.countListed(began: subject.began, at: now)
        } else {
            world.record.urls.allowedByServer += 1
        }
    }
}
