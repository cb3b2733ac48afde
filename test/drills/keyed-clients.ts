import type { GatewayProgram } from '../e2e/programs/gateway-program';

/** Magic number of their orders. */
export const magicOfClients = 7;

/** Clients of a gateway that send orders under keys. Each repeats what got no definite answer, under the same key. */
export class KeyedClients {
  /** Tickets of the orders that were acknowledged, by their keys. */
  readonly acknowledged = new Map<string, number>();
  private isLoaded = true;
  private readonly work: Promise<unknown>;

  /**
   * @param gateway the one that runs now
   * @param everyMs how long each waits after an order
   */
  constructor(
    count: number,
    private readonly gateway: () => GatewayProgram,
    private readonly everyMs = 0,
  ) {
    this.work = Promise.all(Array.from({ length: count }, (_, client) => this.load(client)));
  }

  /** Resolves when the order that each has begun is acknowledged. */
  async end(): Promise<void> {
    this.isLoaded = false;
    await this.work;
  }

  private async load(client: number): Promise<void> {
    for (let number = 0; this.isLoaded; number++) {
      const key = `client-${client}-${number}`;
      while (!(await this.isAcknowledged(key))) await pause(50);
      if (this.everyMs > 0) await pause(this.everyMs);
    }
  }

  private async isAcknowledged(key: string): Promise<boolean> {
    const body = { symbol: 'EURUSD', volume: 0.01, type: 'BUY', magic: magicOfClients };
    const request = { method: 'POST', body, headers: { 'idempotency-key': key } };
    const answer = await this.gateway()
      .call('/order', request)
      .catch(() => null);
    if (answer?.status !== 200) return false;
    this.acknowledged.set(key, (answer.body['result'] as { order: number }).order);
    return true;
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
