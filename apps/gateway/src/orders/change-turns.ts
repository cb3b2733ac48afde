import { Inject, Injectable } from '@nestjs/common';
import { Clock } from '@libs/clock';
import { ChangedMeanwhile } from '../trade-journal/changed-meanwhile.error';
import { GATEWAY_SETTINGS, type GatewaySettings } from '../gateway.config';
import { ShownAsBefore } from './kept-values';

/** How often a change is made again because what it was made from changed. */
const rounds = 3;

/**
 * Serializes changes of one position or order. A change repeats the fields that it keeps, because the terminal takes 0
 * for "remove"; so it must read what the previous change set.
 */
@Injectable()
export class ChangeTurns {
  /** The completion of the newest change, by ticket. */
  private readonly last = new Map<number, Promise<void>>();

  constructor(
    private readonly clock: Clock,
    @Inject(GATEWAY_SETTINGS)
    private readonly settings: Pick<GatewaySettings, 'FILL_CONFIRM_TIMEOUT_MS' | 'FILL_CONFIRM_POLL_MS'>,
  ) {}

  /**
   * Runs a change after all earlier changes of the same ticket, failed ones included. It runs again, from a new read, if the
   * broker replaced what it keeps, and for FILL_CONFIRM_TIMEOUT_MS while the terminal shows what the last change replaced.
   * @throws ChangedMeanwhile if that happens each time
   * @throws ShownAsBefore if the terminal goes on with it
   */
  async run<T>(ticket: number, change: () => Promise<T>): Promise<T> {
    const mine = (this.last.get(ticket) ?? Promise.resolve()).then(() => this.untilItStands(change));
    const forget = (): void => this.forget(ticket, end);
    const end: Promise<void> = mine.then(forget, forget);
    this.last.set(ticket, end);
    return mine;
  }

  private forget(ticket: number, end: Promise<void>): void {
    if (this.last.get(ticket) === end) this.last.delete(ticket);
  }

  private async untilItStands<T>(change: () => Promise<T>): Promise<T> {
    const { FILL_CONFIRM_TIMEOUT_MS: timeoutMs, FILL_CONFIRM_POLL_MS: pollMs } = this.settings;
    const deadlineMs = this.clock.monotonicMs() + timeoutMs;
    for (let replaced = 0; ;) {
      try {
        return await change();
      } catch (error) {
        if (error instanceof ShownAsBefore && this.clock.monotonicMs() + pollMs <= deadlineMs) {
          await this.clock.sleep(pollMs);
        } else if (!(error instanceof ChangedMeanwhile) || ++replaced === rounds) throw error;
      }
    }
  }
}
