import type {
  AccountAcceptedAnswer,
  JournalAcceptedAnswer,
  KillAnswer,
  ReleaseAnswer,
  SetAsideAnswer,
} from './answers';
import type { HttpTransport } from './http-transport';
import { tradeOutcome, type TradeOutcome } from './outcomes';

/** Halts and resumes trading. Each call is sent once and never throws; after `unknown` it may have taken effect. */
export class GatewayControl {
  constructor(
    private readonly transport: HttpTransport,
    private readonly timeoutMs: number,
  ) {}

  /**
   * Halts trading. With `flatten`, every pending order is then cancelled and every position closed; the answer lists
   * failures and is `done` all the same. An `unknown` may have halted trading; `reads.health()` shows it.
   */
  kill({ flatten = false }: { readonly flatten?: boolean } = {}): Promise<TradeOutcome<KillAnswer>> {
    return this.send(flatten ? '/kill?flatten=true' : '/kill');
  }

  /** Resumes trading. */
  release(): Promise<TradeOutcome<ReleaseAnswer>> {
    return this.send('/kill/release');
  }

  /** Accepts the trade journal that replaces a lost one, by the id that `reads.health()` reports. */
  acceptJournal(journalId: string): Promise<TradeOutcome<JournalAcceptedAnswer>> {
    return this.send('/journal/accept', { journal_id: journalId });
  }

  /**
   * Accepts the account as the terminal shows it, although no deal explains it.
   * @param since `account_evidence.since` of `reads.health()`: the state that the operator has seen
   */
  acceptAccount(since: string): Promise<TradeOutcome<AccountAcceptedAnswer>> {
    return this.send('/account/accept', { since });
  }

  /** Sends alerts again that were set aside, by their ids on one channel. */
  retryNotifications(channel: string, ids: readonly string[]): Promise<TradeOutcome<SetAsideAnswer>> {
    return this.send('/notifications/retry', { channel, ids });
  }

  /** Drops alerts that were set aside. */
  dropNotifications(channel: string, ids: readonly string[]): Promise<TradeOutcome<SetAsideAnswer>> {
    return this.send('/notifications/drop', { channel, ids });
  }

  private async send<Body>(path: string, body?: object): Promise<TradeOutcome<Body>> {
    const request = { method: 'POST', path, timeoutMs: this.timeoutMs } as const;
    return tradeOutcome<Body>(await this.transport.exchange(body === undefined ? request : { ...request, body }));
  }
}
