import type { Clock } from '@libs/clock';
import type { Simulator } from '@libs/simulator';

/**
 * What time it is in the broker's market, as UTC. With a real broker that is the wall clock; a simulated one that
 * replays the past, or runs faster than real time, lives at another date. Windows of history and expirations are meant
 * on this clock; deadlines, keys and logs go by the gateway's own.
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
