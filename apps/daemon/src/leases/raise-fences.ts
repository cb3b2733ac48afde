import { GatewayReadError, type GatewayFences } from '@libs/gateway-client';
import type { Clock } from '@libs/clock';
import type { Lease } from '@libs/postgres';

/** A gateway whose requests name the fence. */
export interface FencedGateway {
  readonly name: string;
  /** Magic numbers of the unit there. */
  readonly magics: readonly number[];
  readonly fences: Pick<GatewayFences, 'find' | 'raise'>;
}

export interface RaiseSurroundings {
  readonly clock: Clock;
  /** Raises the token of the lease above one that a gateway has. @throws Error when the lease is lost */
  readonly raiseAbove: (lease: Lease, stored: number) => Promise<Lease>;
}

/** A gateway that has a higher token than the lease, more often than this, has another holder that takes tokens. */
const mostConflicts = 5;
/** A send under a lower token can take this long to its outcome. */
const attempts = 5;
const pauseMs = 500;
/** After this, a gateway that answers nothing is left to other hosts: they may reach it. */
const patienceMs = 5_000;

/**
 * Raises the fence of a unit on all its gateways. Afterwards, no gateway sends a request of an earlier holder, and each
 * request that it sent has its outcome or is known as unknown.
 * @returns the lease, with a higher token if a gateway had one
 * @throws Error when a gateway does not answer, or when the lease is lost
 */
export async function raiseFences(
  lease: Lease,
  gateways: readonly FencedGateway[],
  around: RaiseSurroundings,
): Promise<Lease> {
  let current = lease;
  for (let conflict = 0; conflict <= mostConflicts; conflict++) {
    const token = current;
    const stored = await Promise.all(gateways.map((gateway) => raiseOn(gateway, token, around.clock)));
    const highest = Math.max(-1, ...stored.filter((value) => value !== null));
    if (highest < 0) return current;
    current = await around.raiseAbove(current, highest);
  }
  throw new Error(`the fence of ${lease.name} could not be raised: a gateway always had a higher token`);
}

/** @returns the token to exceed; null when the fence is raised. @throws Error naming the gateway */
async function raiseOn({ name, magics, fences }: FencedGateway, lease: Lease, clock: Clock): Promise<number | null> {
  const untilMs = clock.monotonicMs() + patienceMs;
  for (let attempt = 1; ; attempt++) {
    let isReached = false;
    try {
      // A read is answered at once; a raise waits for the sends that it fences out.
      await fences.find(lease.name);
      isReached = true;
      const outcome = await fences.raise(lease.name, { token: lease.token, magics });
      return outcome.kind === 'raised' ? null : outcome.stored;
    } catch (error) {
      const isOver = isReached ? attempt >= attempts : clock.monotonicMs() >= untilMs;
      if (!(error instanceof GatewayReadError) || isOver) {
        throw new Error(`the fence of ${lease.name} could not be raised on ${name}: ${String(error)}`, {
          cause: error,
        });
      }
      await clock.sleep(pauseMs);
    }
  }
}
