import type { Clock } from '@libs/clock';
import { ApiError } from '@libs/envelope';
import type { AuditEvent, AuditFacts } from '../audit/audit-event';
import type { FenceClaim, FenceStore, StoredFence, WantedFence } from './fence';
import { fenceConflict, fenceMagicsConflict, fencePending, fenceRefusal } from './fence-errors';
import { decideRaise, isHeld, problemOf, tokenToExceed } from './fence-rules';

/** A send between its last check and its outcome. */
interface SendInFlight {
  readonly claim: FenceClaim | null;
  readonly magics: readonly number[];
  readonly ended: Promise<void>;
}

/** A fence as GET /fences shows it. */
export interface ShownFence {
  readonly strategy: string;
  /** The stored token; for a held fence the token that a raise must exceed. */
  readonly token: number;
  readonly magics: readonly number[];
  readonly state: 'raised' | 'held';
  readonly raisedAtMs: number | null;
}

/** The result of a PUT. */
export interface Raised {
  readonly fence: ShownFence;
  /** False if the token was the stored one. */
  readonly isNew: boolean;
}

/**
 * The highest token of each strategy name. A raise is on disk before it is visible; while it is written, sends that it
 * concerns wait. Decides without I/O, so that a check and what follows it are one step.
 */
export class Fences {
  private readonly fences: Map<string, StoredFence>;
  private readonly owners = new Map<number, string>();
  private readonly inFlight = new Set<SendInFlight>();
  private raising: { readonly fences: ReadonlyMap<string, StoredFence>; readonly written: Promise<void> } | null = null;
  private turn: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly store: FenceStore,
    private readonly clock: Clock,
  ) {
    this.fences = new Map(store.fences());
    for (const [name, { magics }] of this.fences) for (const magic of magics) this.owners.set(magic, name);
  }

  /** All fences by name. */
  all(): ShownFence[] {
    return [...this.fences.keys()].sort().flatMap((name) => this.find(name) ?? []);
  }

  find(name: string): ShownFence | null {
    const fence = this.fences.get(name);
    if (!fence) return null;
    const { losses } = this.store;
    const { magics, raisedAtMs } = fence;
    const state = isHeld(fence, losses) ? 'held' : 'raised';
    return { strategy: name, token: tokenToExceed(fence, losses), magics, state, raisedAtMs };
  }

  /**
   * Why a request must not be sent; null if it may.
   * @param magic of the send; null while it is not known
   * @param certainty `possible`: what the send changes may be of another magic number
   */
  refusal(
    claim: FenceClaim | null,
    magic: number | null,
    certainty: 'certain' | 'possible' = 'certain',
  ): ApiError | null {
    const problem = claim && problemOf(claim, this.fences.get(claim.name), this.store.losses);
    if (problem) return fenceRefusal(claim, problem);
    const owner = magic === null ? undefined : this.owners.get(magic);
    if (magic === null || owner === undefined || owner === claim?.name) return null;
    return fenceRefusal(claim, { kind: 'magic', magic, owner, certainty });
  }

  /** Whether a raise is being written that concerns such a request. */
  isRaising(claim: FenceClaim | null, magic: number | null): boolean {
    if (this.raising === null) return false;
    for (const [name, { magics }] of this.raising.fences) {
      if (name === claim?.name || (magic !== null && magics.includes(magic))) return true;
    }
    return false;
  }

  /** Resolves once the raise that is being written is on disk or has failed. */
  async decided(): Promise<void> {
    await this.raising?.written.catch(() => undefined);
  }

  /**
   * Begins a send, in the same step as its last check.
   * @param magics that what it changes is or may be of
   * @returns its end, to be called once it has an outcome
   */
  begin(claim: FenceClaim | null, magics: readonly number[]): () => void {
    let end: () => void = () => undefined;
    const send = { claim, magics, ended: new Promise<void>((resolve) => (end = resolve)) };
    this.inFlight.add(send);
    return () => {
      this.inFlight.delete(send);
      end();
    };
  }

  /**
   * Raises a fence, with one flush. An equal token changes nothing.
   * @param cause of the request, for the event that is recorded with the raise
   * @throws ApiError fence_conflict for a lower token, or journal_unavailable if the raise is not on disk
   */
  raise(name: string, wanted: WantedFence, cause: AuditFacts = {}): Promise<Raised> {
    const done = this.turn.then(() => this.raiseNow(name, wanted, cause));
    this.turn = done.catch(() => undefined);
    return done;
  }

  /**
   * Resolves once no send that the fence would refuse now is in flight.
   * @throws ApiError fence_pending if that takes longer than `timeoutMs`
   */
  async drained(name: string, timeoutMs: number): Promise<void> {
    const sends = this.outdated(name);
    if (sends.length === 0) return;
    await new Promise<void>((resolve) => {
      const timer = this.clock.setTimer(timeoutMs, resolve);
      void Promise.all(sends.map(({ ended }) => ended)).then(() => {
        timer.cancel();
        resolve();
      });
    });
    const left = this.outdated(name).length;
    if (left > 0) throw fencePending(name, left);
  }

  /** Adds what only the audit log has: fences of a lost journal. They are held, and are kept in memory if the disk fails. */
  async takeUp(audited: ReadonlyMap<string, WantedFence>): Promise<void> {
    const missing = new Map<string, StoredFence>();
    for (const [name, { token, magics }] of audited) {
      const known = this.fences.get(name);
      if (known && known.token >= token) continue;
      // A magic number may have moved to another fence since.
      const free = magics.filter((magic) => !this.owners.has(magic));
      missing.set(name, { token, magics: [...(known?.magics ?? []), ...free], losses: null, raisedAtMs: null });
    }
    if (missing.size === 0) return;
    this.keep(missing);
    await this.store.putFences(missing, null).catch(() => undefined);
  }

  private async raiseNow(name: string, wanted: WantedFence, cause: AuditFacts): Promise<Raised> {
    const raise = decideRaise(this.fences.get(name), wanted, this.store.losses, this.clock.nowMs());
    if (raise.kind === 'other_magics') throw fenceMagicsConflict(name, wanted.token, raise.magics);
    if (raise.kind === 'conflict') {
      if (raise.seen) await this.write(new Map([[name, raise.seen]]), null);
      throw fenceConflict(name, wanted.token, raise.stored);
    }
    if (raise.kind === 'raise') {
      const facts = { fence: name, fence_token: raise.fence.token, fence_magics: raise.fence.magics };
      await this.write(this.withMovedMagics(name, raise.fence), { event: 'fence_raised', ...cause, ...facts });
    }
    const fence = this.find(name);
    if (!fence) throw new Error('a written fence is missing');
    return { fence, isNew: raise.kind === 'raise' };
  }

  /** The raised fence, and those that lose a magic number to it. */
  private withMovedMagics(name: string, fence: StoredFence): Map<string, StoredFence> {
    const changed = new Map([[name, fence]]);
    for (const [other, kept] of this.fences) {
      const magics = kept.magics.filter((magic) => !fence.magics.includes(magic));
      if (other !== name && magics.length < kept.magics.length) changed.set(other, { ...kept, magics });
    }
    return changed;
  }

  private async write(fences: ReadonlyMap<string, StoredFence>, event: AuditEvent | null): Promise<void> {
    const written = this.store.putFences(fences, event);
    this.raising = { fences, written };
    try {
      await written;
    } catch (cause) {
      const message = 'the trade journal cannot be written: the fence is not raised';
      throw new ApiError('journal_unavailable', message, { cause });
    } finally {
      this.raising = null;
    }
    this.keep(fences);
  }

  private keep(fences: ReadonlyMap<string, StoredFence>): void {
    for (const [name, fence] of fences) {
      this.fences.set(name, fence);
      for (const magic of fence.magics) this.owners.set(magic, name);
    }
  }

  /** Sends in flight that the fence would refuse now. */
  private outdated(name: string): SendInFlight[] {
    const fence = this.fences.get(name);
    if (!fence) return [];
    return [...this.inFlight].filter(({ claim, magics }) =>
      claim?.name === name ? claim.token < fence.token : magics.some((magic) => fence.magics.includes(magic)),
    );
  }
}
