import type { Clock } from '@libs/clock';
import { ApiError } from '@libs/envelope';
import type { AuditFacts } from '../audit/audit-event';
import type { CoreEffect, CoreEventBody } from '../trade-core/core-event';
import type { FenceClaim, Losses, WantedFence } from '../trade-core/fence';
import { fenceProblem, outdatedSends, problemOfSend, raisingWrite, shownFence } from '../trade-core/fence-state';
import type { ShownFence } from '../trade-core/fence-state';
import type { IntentRecord } from '../trade-core/journal-records';
import type { TradeState } from '../trade-core/trade-state';
import { fencePending, fenceRefusal, raiseRefusal } from './fence-errors';

/** The trade core, and what performs its effects. */
export interface FencingCore {
  readonly core: { readonly state: TradeState };
  deliver(event: CoreEventBody): readonly CoreEffect[];
  run(event: CoreEventBody): Promise<{ readonly effects: readonly CoreEffect[]; readonly error: Error | null }>;
  /** Resolves once a write has ended, in whatever way. */
  ended(write: number): Promise<unknown>;
  /** Calls the listener when the outcome of a send is on record. */
  onSettled(listener: (intent: IntentRecord) => void): void;
}

/** The result of a PUT. */
export interface Raised {
  readonly fence: ShownFence;
  /** False if the token was the stored one. */
  readonly isNew: boolean;
}

/**
 * The highest token of each strategy name, as the trade core has it. A raise is on disk before it is visible; while it is written,
 * sends that it concerns wait.
 */
export class Fences {
  /** Called whenever a send has an outcome. */
  private readonly waiting = new Set<() => void>();

  /** @param losses of the journal, as of now */
  constructor(
    private readonly shell: FencingCore,
    private readonly losses: () => Losses,
    private readonly clock: Clock,
  ) {
    shell.onSettled(() => {
      for (const look of this.waiting) look();
    });
  }

  /** All fences by name. */
  all(): ShownFence[] {
    return [...this.state.fences.keys()].sort().flatMap((name) => this.find(name) ?? []);
  }

  find(name: string): ShownFence | null {
    return shownFence(this.state, name, this.losses());
  }

  /** Why a request must not be sent, as far as is known before its send; null if it may. */
  refusal(claim: FenceClaim | null): ApiError | null {
    const problem = fenceProblem(this.state, claim, null, this.losses());
    return problem && fenceRefusal(claim, problem);
  }

  /** As {@link refusal}, of a send. @param magics the certain one first, then those that it may have instead */
  refusalOfSend(claim: FenceClaim | null, magics: readonly number[]): ApiError | null {
    const problem = problemOfSend(this.state, claim, magics, this.losses());
    return problem && fenceRefusal(claim, problem);
  }

  /**
   * Begins a send, in the step of its last check. The core counts it as under way until its outcome is on record.
   * @param magics as for {@link refusalOfSend}
   * @returns null if it begins. While a raise that concerns it is written, call again once that is {@link decided}
   */
  begin(intentId: string, claim: FenceClaim | null, magics: readonly number[]): ApiError | 'being raised' | null {
    const losses = this.losses();
    const [effect] = this.shell.deliver({ type: 'sending', intentId, claim, magics, losses });
    if (effect?.type === 'fence off') return fenceRefusal(claim, effect.problem);
    return effect?.type === 'wait' ? 'being raised' : null;
  }

  /** Whether a raise is being written that concerns a request. */
  isRaising(claim: FenceClaim | null): boolean {
    return raisingWrite(this.state, claim, []) !== null;
  }

  /** Resolves once the raise that is being written is on disk or has failed. */
  async decided(): Promise<void> {
    const { raising } = this.state;
    if (raising) await this.shell.ended(raising.write);
  }

  /**
   * Raises a fence, with one flush. An equal token changes nothing.
   * @param cause of the request, for the event that is recorded with the raise
   * @throws ApiError fence_conflict for a lower token, or journal_unavailable if the raise is not on disk
   */
  async raise(name: string, wanted: WantedFence, cause: AuditFacts = {}): Promise<Raised> {
    for (;;) {
      const { effects, error } = await this.shell.run({
        type: 'fence asked',
        name,
        wanted,
        cause,
        losses: this.losses(),
      });
      if (effects.some(({ type }) => type === 'wait')) continue;
      if (error) {
        const message = 'the trade journal cannot be written: the fence is not raised';
        throw new ApiError('journal_unavailable', message, { cause: error });
      }
      const refused = effects.find((effect) => effect.type === 'refuse fence');
      if (refused) throw raiseRefusal(name, wanted.token, refused.raise);
      const fence = this.find(name);
      if (!fence) throw new Error('a written fence is missing');
      return { fence, isNew: effects.length > 0 };
    }
  }

  /**
   * Resolves once no send that the fence would refuse now is in flight.
   * @throws ApiError fence_pending if that takes longer than `timeoutMs`
   */
  async drained(name: string, timeoutMs: number): Promise<void> {
    const left = (): number => outdatedSends(this.state, name);
    if (left() === 0) return;
    await new Promise<void>((resolve) => {
      const timer = this.clock.setTimer(timeoutMs, () => end());
      const look = (): void => {
        if (left() === 0) end();
      };
      const end = (): void => {
        this.waiting.delete(look);
        timer.cancel();
        resolve();
      };
      this.waiting.add(look);
    });
    const sends = left();
    if (sends > 0) throw fencePending(name, sends);
  }

  /** Adds what only the audit log has: fences of a lost journal. They are held, and are kept in memory if the disk fails. */
  async takeUp(audited: ReadonlyMap<string, WantedFence>): Promise<void> {
    if (audited.size > 0) await this.shell.run({ type: 'fences found', fences: [...audited] });
  }

  private get state(): TradeState {
    return this.shell.core.state;
  }
}
