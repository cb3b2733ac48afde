import type { KillAnswer, ReleaseAnswer } from './answers';
import type { HttpTransport } from './http-transport';
import { tradeOutcome, type TradeOutcome } from './outcomes';

/** Halting and resuming. Each call goes out once and never throws; `unknown` leaves open whether it took effect. */
export class GatewayControl {
  constructor(
    private readonly transport: HttpTransport,
    private readonly timeoutMs: number,
  ) {}

  /**
   * Halts trading. With `flatten` every pending order is then cancelled and every position closed; what could not be is
   * in the answer, which is `done` all the same. An `unknown` may have halted: `reads.health()` says.
   */
  kill({ flatten = false }: { readonly flatten?: boolean } = {}): Promise<TradeOutcome<KillAnswer>> {
    return this.send(flatten ? '/kill?flatten=true' : '/kill');
  }

  /** Lets trading resume. */
  release(): Promise<TradeOutcome<ReleaseAnswer>> {
    return this.send('/kill/release');
  }

  private async send<Body>(path: string): Promise<TradeOutcome<Body>> {
    return tradeOutcome<Body>(await this.transport.exchange({ method: 'POST', path, timeoutMs: this.timeoutMs }));
  }
}
