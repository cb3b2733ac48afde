import type { Clock } from '@libs/clock';
import type { Simulator } from '@libs/simulator';

/**
 * The time of the broker's market, as UTC. For a real broker it is the wall clock; a simulated broker that replays the
 * past or runs faster than real time has another date. Windows of history and expirations use this clock; deadlines,
 * keys and logs use the gateway's own.
 */
export class BrokerClock {
  constructor(
    private readonly clock: Clock,
    private readonly simulator: Simulator | null,
  ) {}

  /** Milliseconds since the epoch, UTC. */
  nowMs(): number {
    return this.simulator?.feedStatus().positionMs ?? this.clock.nowMs();
  }
}
