import type { JournalAcceptedAnswer, KillAnswer, ReleaseAnswer } from './answers';
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

  /** Accepts the trade journal that replaces a lost one, by the id that `reads.health()` reports. */
  acceptJournal(journalId: string): Promise<TradeOutcome<JournalAcceptedAnswer>> {
    return this.send('/journal/accept', { journal_id: journalId });
  }

  private async send<Body>(path: string, body?: object): Promise<TradeOutcome<Body>> {
    const request = { method: 'POST', path, timeoutMs: this.timeoutMs } as const;
    return tradeOutcome<Body>(await this.transport.exchange(body === undefined ? request : { ...request, body }));
  }
}
