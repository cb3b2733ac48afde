import type { Clock } from '@libs/clock';
import type { GatewayClient, TradeOutcome, TradeRequestReport } from '@libs/gateway-client';
import { outsideOf } from '../policy/judge-request';
import type { PolicyFile } from '../policy/policy-file';
import { digestOf, type Approval, type HandleRecord } from './handle-record';
import type { HandleStore } from './handle.store';
import { planOf } from './plan-request';
import type { TradePlan, TradeWish } from './trade-plan';

/** What became of a call of `execute_order`. */
export type Execution =
  /** It was sent, now or before; only `unknown` is uncertain. */
  | { readonly kind: 'ended'; readonly record: HandleRecord; readonly isRepeated: boolean }
  /** It was sent before, and this is what the gateway has of it now. */
  | { readonly kind: 'looked_up'; readonly record: HandleRecord; readonly report: TradeRequestReport | null }
  /** Nothing was sent: a person has to approve it first. */
  | { readonly kind: 'needs_person'; readonly record: HandleRecord; readonly reasons: readonly string[] }
  /** Nothing was sent, and nothing will be under this handle. */
  | { readonly kind: 'declined' | 'expired'; readonly record: HandleRecord }
  /** The server has no such handle, and so sends nothing; this is what the gateway has of the key. */
  | { readonly kind: 'unknown_handle'; readonly report: TradeRequestReport | null };

/** What a trading desk works with. */
export interface DeskParts {
  readonly policy: PolicyFile;
  readonly store: HandleStore;
  readonly clock: Clock;
  /** A client whose requests are for one account; null: for any. */
  readonly gatewayFor: (login: number | null) => GatewayClient;
  /** 32 hexadecimal digits that are never the same. */
  readonly newId: () => string;
}

/**
 * Turns wishes into handles, and handles into requests. A handle is the idempotency key of its request. One call is executed at a
 * time, so that two cannot both take the last place of a limit.
 */
export class TradeDesk {
  private last: Promise<unknown> = Promise.resolve();
  /** What each handle was made from, to ask the policy again; a handle from before a restart needs a person. */
  private readonly wishes = new Map<string, TradeWish>();

  constructor(private readonly parts: DeskParts) {}

  get policy(): PolicyFile {
    return this.parts.policy;
  }

  /** A handle for the exact request. Nothing is sent. @throws WishRefusedError, GatewayReadError, HandleStoreError */
  async preview(wish: TradeWish): Promise<{ readonly record: HandleRecord; readonly reasons: readonly string[] }> {
    const { policy, clock, store, gatewayFor, newId } = this.parts;
    const plan = await planOf(wish, policy.magic, gatewayFor(null));
    const reasons = await this.reasonsAgainst(plan);
    const createdMs = clock.nowMs();
    const times = { createdMs, expiresMs: createdMs + policy.handle_seconds * 1_000 };
    const record = { handle: `mcp-${newId()}`, plan, ...times, sent: null, outcome: null, declined: false };
    store.add(record, createdMs);
    for (const handle of this.wishes.keys()) if (store.find(handle) === null) this.wishes.delete(handle);
    this.wishes.set(record.handle, wish);
    return { record, reasons };
  }

  /**
   * Sends the request of a handle, if the policy or a person allows it. Repeated calls have the effect of one.
   * @param answer what the person said who was asked about this handle; null if none was
   * @throws GatewayReadError if the policy could not be asked; HandleStoreError if it cannot be noted; then nothing was sent
   */
  execute(handle: string, answer: 'approved' | 'declined' | null): Promise<Execution> {
    const turn = this.last.then(() => this.executeNow(handle, answer));
    this.last = turn.catch(() => undefined);
    return turn;
  }

  /** What the gateway has of a handle; null if it has nothing. @throws GatewayReadError */
  lookUp(handle: string): Promise<TradeRequestReport | null> {
    return this.parts.gatewayFor(null).reads.tradeRequest(handle);
  }

  find(handle: string): HandleRecord | null {
    return this.parts.store.find(handle);
  }

  private async executeNow(handle: string, answer: 'approved' | 'declined' | null): Promise<Execution> {
    const { store, clock, policy } = this.parts;
    const record = store.find(handle);
    if (record === null) return { kind: 'unknown_handle', report: await this.lookUp(handle) };
    if (record.sent !== null) return this.repeat(record);
    if (record.declined) return { kind: 'declined', record };
    if (clock.nowMs() >= record.expiresMs) return { kind: 'expired', record };
    if (answer === 'declined') {
      const declined = { ...record, declined: true };
      store.write(declined);
      return { kind: 'declined', record: declined };
    }
    const isAsked = answer === 'approved' && policy.approve_by.includes('elicitation');
    if (isAsked) return this.send(record, 'elicitation');
    if (policy.approve_by.includes('terminal') && store.isApproved(record)) return this.send(record, 'terminal');
    const reasons = await this.reasonsNow(record);
    if (reasons.length > 0) return { kind: 'needs_person', record, reasons };
    return this.send(record, 'policy');
  }

  /** The facts of this moment, not those of the preview. */
  private async reasonsNow({ plan, handle }: HandleRecord): Promise<readonly string[]> {
    const { policy, gatewayFor } = this.parts;
    if (policy.without_person === undefined) return outsideOf(undefined, policy.magic, this.factsOf(plan, 0, 0));
    const wish = this.wishes.get(handle);
    if (wish === undefined) return ['the server was restarted since the preview'];
    const now = await planOf(wish, policy.magic, gatewayFor(plan.login));
    const isSame = digestOf({ handle: '', plan: now }) === digestOf({ handle: '', plan });
    return isSame ? this.reasonsAgainst(now) : ['the position or order has changed since the preview'];
  }

  private async reasonsAgainst(plan: TradePlan): Promise<readonly string[]> {
    const { policy, gatewayFor, clock } = this.parts;
    const openLots = policy.without_person === undefined ? 0 : await openLotsOf(policy.magic, gatewayFor(plan.login));
    return outsideOf(policy.without_person, policy.magic, this.factsOf(plan, openLots, clock.nowMs()));
  }

  private factsOf(plan: TradePlan, openLots: number, nowMs: number): Parameters<typeof outsideOf>[2] {
    const { action, symbol, lots, atRisk, magic, tradeMode } = plan;
    const sentMs = this.parts.store.sentByPolicyMs();
    return { action, symbol, lots, atRisk, magic, tradeMode, openLots, nowMs, sentMs };
  }

  private async send(record: HandleRecord, by: Approval): Promise<Execution> {
    const sent = { ...record, sent: { atMs: this.parts.clock.nowMs(), by } };
    this.parts.store.write(sent);
    return this.submit(sent, false);
  }

  /** An uncertain outcome is asked for under the same key: by sending again while the handle is valid, and then by a look-up. */
  private async repeat(record: HandleRecord): Promise<Execution> {
    const { outcome } = record;
    if (outcome !== null && outcome.status !== 'unknown') return { kind: 'ended', record, isRepeated: true };
    if (this.parts.clock.nowMs() < record.expiresMs) return this.submit(record, true);
    return { kind: 'looked_up', record, report: await this.lookUp(record.handle) };
  }

  private async submit(record: HandleRecord, isRepeated: boolean): Promise<Execution> {
    const { plan, handle } = record;
    const outcome = await this.parts.gatewayFor(plan.login).send<unknown>(plan.call, handle);
    if (isRepeated && (outcome.kind === 'rejected' || outcome.kind === 'blocked')) {
      // A guard before the journal may have refused the repetition, which proves nothing about the first send.
      return { kind: 'looked_up', record, report: await this.lookUp(handle) };
    }
    const ended = { ...record, outcome: { status: outcome.kind, answer: answerOf(outcome) } };
    this.parts.store.note(ended);
    return { kind: 'ended', record: ended, isRepeated };
  }
}

/** Lots of the positions and pending orders of one magic number. */
async function openLotsOf(magic: number, { reads }: GatewayClient): Promise<number> {
  const [positions, orders] = await Promise.all([reads.positions({ magic }), reads.orders({ magic })]);
  const volumes = [...positions.map(({ volume }) => volume), ...orders.map(({ volume_current }) => volume_current)];
  return volumes.reduce((sum, volume) => sum + volume, 0);
}

function answerOf(outcome: TradeOutcome<unknown>): unknown {
  switch (outcome.kind) {
    case 'done':
      return outcome.body;
    case 'rejected':
    case 'blocked': {
      const { errorType, error, details, terminalError } = outcome;
      return { error_type: errorType, error, details, terminal_error: terminalError };
    }
    case 'unknown':
      return { error_type: outcome.errorType, error: outcome.reason };
  }
}
