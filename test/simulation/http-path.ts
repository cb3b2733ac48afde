import type { HttpAnswer, HttpRequest } from './asks';
import type { SeededRandom } from './seeded-random';
import type { VirtualTime } from './virtual-time';

/** What can happen to a request between a client and the gateway. */
export const httpTroubles = ['lose-request', 'lose-answer', 'duplicate', 'slow-request'] as const;

export type HttpTrouble = (typeof httpTroubles)[number];

/** Takes a request to whichever run of the gateway is up; null when there is none, or when it ends before it answers. */
export type Deliver = (request: HttpRequest) => Promise<HttpAnswer | null>;

/** The way between clients and the gateway. A request may arrive at a later run of the gateway than it was sent to. */
export class HttpPath {
  private readonly troubles: HttpTrouble[] = [];

  constructor(
    private readonly time: VirtualTime,
    private readonly random: SeededRandom,
    private readonly deliver: Deliver,
  ) {}

  /** A fault for the next trade request that has none yet. */
  trouble(trouble: HttpTrouble): void {
    this.troubles.push(trouble);
  }

  clear(): void {
    this.troubles.length = 0;
  }

  /** The answer; null when none comes within the time the client waits. */
  ask(request: HttpRequest, timeoutMs: number): Promise<HttpAnswer | null> {
    const trouble = request.method === 'GET' ? undefined : this.troubles.shift();
    return new Promise((resolve) => {
      this.time.schedule(timeoutMs, () => resolve(null));
      if (trouble === 'lose-request') return;
      const copies = trouble === 'duplicate' ? 2 : 1;
      for (let copy = 0; copy < copies; copy++) {
        const requestMs = trouble === 'slow-request' ? this.random.integer(1_000, 40_000) : this.random.delayMs(3, 50);
        this.time.schedule(requestMs, () => {
          void this.deliver(request).then((answer) => {
            if (trouble !== 'lose-answer') this.time.schedule(this.random.delayMs(3, 50), () => resolve(answer));
          });
        });
      }
    });
  }
}
