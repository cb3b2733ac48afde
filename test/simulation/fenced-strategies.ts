import type { HttpAnswer, HttpRequest } from './asks';
import type { HttpPath } from './http-path';
import type { SeededRandom } from './seeded-random';
import type { FenceName, FencedAsk, FenceStep } from './steps';
import type { VirtualTime } from './virtual-time';

/** What a holder of a lease names in X-Fence. */
export interface FenceClaim {
  readonly name: string;
  readonly token: number;
}

/** A request for the gateway to raise a fence. */
export interface Raise extends FenceClaim {
  readonly magics: readonly number[];
}

export interface FencedWorld {
  readonly time: VirtualTime;
  readonly http: HttpPath;
  readonly random: SeededRandom;
  /** Does something at the moment of a call of the gateway. */
  readonly meet: (port: string, skip: number, run: () => void) => void;
  readonly trace: (line: string) => void;
}

/** The magic number of each strategy, and one that moves from one to the other. */
const magics: Readonly<Record<FenceName | 'shared', number>> = { trend: 7_001, range: 7_002, shared: 7_009 };

const holderTimeoutMs = 60_000;
/** Further ahead of the newest token than any lease that a run issues on its own. */
const unissuedBy = 7;

/**
 * Strategies with a lease each. Every new holder has a higher token than those before, and raises the fence; the earlier
 * holders do not know of it and trade on.
 */
export class FencedStrategies {
  /** Tokens of the leases, oldest first. */
  private readonly issued: Readonly<Record<FenceName, number[]>> = { trend: [], range: [] };
  private readonly raising = new Set<Raise>();
  private raises = 0;

  constructor(private readonly world: FencedWorld) {}

  take(step: FenceStep): void {
    if (step.kind === 'raise an older fence') {
      const token = this.tokenOf(step.fence, step.behind);
      return this.pursue({ name: step.fence, token, magics: [magics[step.fence]] }, false);
    }
    const raise = (): void => this.raise(step.fence, step.shared);
    if (step.at) this.world.meet(step.at.port, step.at.skip, raise);
    else raise();
  }

  /** Raises that no definite answer has ended. */
  get open(): Raise[] {
    return [...this.raising];
  }

  /** What a client of a strategy names in its requests; null if it names none. */
  claimOf({ name, behind }: FencedAsk): FenceClaim | null {
    return behind === null ? null : { name, token: this.tokenOf(name, behind) };
  }

  magicOf({ name, shared }: FencedAsk): number {
    return magics[shared ? 'shared' : name];
  }

  private raise(name: FenceName, shared: boolean): void {
    const token = this.issue(name, 0);
    this.pursue({ name, token, magics: [magics[name], ...(shared ? [magics.shared] : [])] }, true);
  }

  /** A token above all of the strategy and above another one, as a lease has it. */
  private issue(name: FenceName, above: number): number {
    const issued = this.issued[name];
    const token = Math.max(issued.at(-1) ?? 0, above) + 1;
    issued.push(token);
    return token;
  }

  /** @param behind how many leases before the newest; -1 for a token of no lease */
  private tokenOf(name: FenceName, behind: number): number {
    const issued = this.issued[name];
    const newest = issued.at(-1) ?? 0;
    return behind < 0 ? newest + unissuedBy : (issued.at(-1 - behind) ?? issued[0] ?? 1);
  }

  private pursue(raise: Raise, isNewest: boolean): void {
    this.raises += 1;
    const random = this.world.random.fork(`raise ${this.raises}`);
    this.raising.add(raise);
    void this.repeat(raise, isNewest, random).then(() => this.raising.delete(raise));
  }

  /** Repeats a raise until its answer is definite. The newest holder takes a higher token where the gateway asks for one. */
  private async repeat(raise: Raise, isNewest: boolean, random: SeededRandom): Promise<void> {
    for (;;) {
      const answer = await this.world.http.ask(requestOf(raise), holderTimeoutMs);
      this.world.trace(`raise of ${raise.name} to ${raise.token}: ${answer?.status ?? 'no answer'}`);
      if (answer && answer.status < 500) {
        const stored = storedIn(answer);
        const isOutdated = !isNewest || this.issued[raise.name as FenceName].at(-1) !== raise.token;
        if (stored === null || isOutdated) return;
        const token = this.issue(raise.name as FenceName, stored);
        return this.repeat({ ...raise, token }, true, random);
      }
      await new Promise((resolve) => void this.world.time.schedule(random.integer(500, 5_000), () => resolve(null)));
    }
  }
}

function requestOf({ name, token, magics }: Raise): HttpRequest {
  return { method: 'PUT', url: `/fences/${name}`, body: { token, magics } };
}

/** The raise that a request asks for; null if it asks for something else. */
export function raiseIn({ method, url, body }: HttpRequest): Raise | null {
  const name = method === 'PUT' && url.startsWith('/fences/') ? url.slice('/fences/'.length) : null;
  return name === null ? null : { name, ...(body as Omit<Raise, 'name'>) };
}

/** The token that a raise has to exceed, as a conflict names it. */
function storedIn({ status, body }: HttpAnswer): number | null {
  const { details } = body;
  const isConflict = status === 409 && typeof details === 'object' && details !== null && 'stored' in details;
  return isConflict ? Number(details.stored) : null;
}
