import { GatewayReadError, type GatewayClient, type TradeOutcome, type TradeRequestReport } from '@libs/gateway-client';
import { outsideOf } from '../policy/judge-request';
import type { PolicyFile } from '../policy/policy-file';
import type { PolicyInForce } from '../policy/policy-in-force';
import { isSigned } from '../approval/approval-key';
import { approvalText, digestOf, isExpired, statusOf, type Approval, type HandleRecord } from './handle-record';
import type { HandleStore } from './handle.store';
import { markOf, type Moment } from './moment';
import { planOf } from './plan-request';
import type { TradePlan, TradeWish } from './trade-plan';

/** What became of a call of `execute_order`. */
export type Execution =
  /** It was sent, now or before; only `unknown` is uncertain. */
  | { readonly kind: 'ended'; readonly record: HandleRecord; readonly isRepeated: boolean }
  /** It was sent before, and this is what the gateway has of it now. */
  | { readonly kind: 'looked_up'; readonly record: HandleRecord; readonly report: TradeRequestReport | null }
  /** Nothing was sent: a person has to approve it first. */
  | NeedsPerson
  /** Nothing was sent, and nothing will be under this handle. */
  | { readonly kind: 'declined' | 'expired'; readonly record: HandleRecord }
  /** The server has no such handle, and so sends nothing; this is what the gateway has of the key. */
  | { readonly kind: 'unknown_handle'; readonly report: TradeRequestReport | null };

interface NeedsPerson {
  readonly kind: 'needs_person';
  readonly record: HandleRecord;
  readonly reasons: readonly string[];
  /** Whether one can approve it in a terminal; without that, the policy allows questions. */
  readonly terminal: 'open' | 'no_key' | 'not_allowed';
}

/** What a trading desk works with. */
export interface DeskParts {
  readonly policy: PolicyInForce;
  readonly store: HandleStore;
  readonly now: () => Moment;
  /** A client whose requests are for one account; null: for any. */
  readonly gatewayFor: (login: number | null) => GatewayClient;
  /** 32 hexadecimal digits that are never the same. */
  readonly newId: () => string;
}

/** The account is not the one of the preview any more. Nothing was sent. */
class AccountChangedError extends Error {}

/** `margin_mode` of an account on which each order opens a position of its own. */
const hedging = 2;
const notSigned = 'the approval that is there is not signed by a key of the policy, for this request';

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
    return this.parts.policy.rules;
  }

  /** @throws PolicyChangedError if the file of the policy is not what it was at the start */
  requirePolicy(): void {
    this.parts.policy.requireUnchanged();
  }

  /** A handle for the exact request. Nothing is sent. @throws WishRefusedError, PolicyChangedError, GatewayReadError, HandleStoreError */
  async preview(wish: TradeWish): Promise<{ readonly record: HandleRecord; readonly reasons: readonly string[] }> {
    const { now, store, gatewayFor, newId } = this.parts;
    const { policy } = this;
    this.requirePolicy();
    const plan = await planOf(wish, policy.magic, null, gatewayFor);
    const reasons = await this.reasonsAgainst(plan);
    const created = now();
    const { nowMs: createdMs } = created;
    const times = { createdMs, expiresMs: createdMs + policy.handle_seconds * 1_000, createdAt: markOf(created) };
    const record = { handle: `mcp-${newId()}`, plan, ...times, sent: null, outcome: null, declined: false };
    store.add(record, created);
    for (const handle of this.wishes.keys()) if (store.find(handle) === null) this.wishes.delete(handle);
    this.wishes.set(record.handle, wish);
    return { record, reasons };
  }

  /**
   * Sends the request of a handle, if the policy or a person allows it. Repeated calls have the effect of one.
   * @param answer what the person said who was asked about this handle; null if none was
   * @throws GatewayReadError if the policy could not be asked, PolicyChangedError if it is not in force, AccountChangedError,
   *   HandleStoreError if it cannot be noted; then nothing was sent
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
    const { store, now } = this.parts;
    const { policy } = this;
    const record = store.find(handle);
    if (record === null) return { kind: 'unknown_handle', report: await this.lookUp(handle) };
    if (record.sent !== null) return this.repeat(record);
    if (record.declined) return { kind: 'declined', record };
    if (isExpired(record, now())) return { kind: 'expired', record };
    if (answer === 'declined') {
      const declined = { ...record, declined: true };
      store.write(declined);
      return { kind: 'declined', record: declined };
    }
    this.requirePolicy();
    if (answer === 'approved' && policy.approve_by.includes('elicitation')) return this.send(record, 'elicitation');
    const signature = policy.approve_by.includes('terminal') ? store.approvalOf(record) : null;
    if (signature !== null && isSigned(approvalText(record), signature, policy.approval_keys)) {
      return this.send(record, 'terminal');
    }
    const reasons = await this.reasonsNow(record);
    if (reasons.length === 0) return this.send(record, 'policy');
    return this.needsPerson(record, signature === null ? reasons : [...reasons, notSigned]);
  }

  /** @param reasons why */
  needsPerson(record: HandleRecord, reasons: readonly string[]): NeedsPerson {
    const { approve_by, approval_keys } = this.policy;
    const withKey = approval_keys.length > 0 ? 'open' : 'no_key';
    const terminal = approve_by.includes('terminal') ? withKey : 'not_allowed';
    return { kind: 'needs_person', record, reasons, terminal };
  }

  /** The facts of this moment, not those of the preview. */
  private async reasonsNow({ plan, handle }: HandleRecord): Promise<readonly string[]> {
    const { gatewayFor } = this.parts;
    const { policy } = this;
    if (policy.without_person === undefined) return this.reasonsAgainst(plan, handle);
    const wish = this.wishes.get(handle);
    if (wish === undefined) return ['the server was restarted since the preview'];
    const now = await planOf(wish, policy.magic, plan.login, gatewayFor);
    const isSame = digestOf({ handle: '', plan: now }) === digestOf({ handle: '', plan });
    return isSame ? this.reasonsAgainst(now, handle) : ['the position or order has changed since the preview'];
  }

  /** @param handle of the request itself, if it has one already */
  private async reasonsAgainst(plan: TradePlan, handle?: string): Promise<readonly string[]> {
    const { gatewayFor, now, store } = this.parts;
    const { policy } = this;
    const { action, symbol, lots, atRisk, currency, magic, tradeMode, login } = plan;
    const isAsked = policy.without_person !== undefined;
    const gateway = gatewayFor(login);
    const openLots = isAsked ? await openLotsOf(policy.magic, gateway) : 0;
    const unsettled = store.unsettledOrders(login).filter((record) => record.handle !== handle);
    const isSharing = unsettled.some((record) => record.plan.symbol === symbol);
    const isJoining = isAsked && (await isJoiningAnother(plan, gateway, isSharing));
    const unsettledLots = unsettled.reduce((sum, record) => sum + record.plan.lots, 0);
    const moment = now();
    const sentAgoMs = store.sentByPolicyAgoMs(moment);
    const around = { openLots, unsettledLots, isJoining, nowMs: moment.nowMs, sentAgoMs };
    return outsideOf(policy.without_person, policy.magic, {
      action,
      symbol,
      lots,
      atRisk,
      currency,
      magic,
      tradeMode,
      ...around,
    });
  }

  /** Another broker may have the same number. @throws AccountChangedError, GatewayReadError */
  private async requireSameAccount({ plan }: HandleRecord): Promise<void> {
    const { trade_mode, currency } = await this.parts.gatewayFor(plan.login).reads.account();
    if (trade_mode === plan.tradeMode && currency === plan.currency) return;
    throw new AccountChangedError('the account has changed since the preview: preview the request again');
  }

  private async send(record: HandleRecord, by: Approval): Promise<Execution> {
    await this.requireSameAccount(record);
    // Reading the account took a while.
    this.requirePolicy();
    const { now, store } = this.parts;
    const moment = now();
    if (isExpired(record, moment)) return { kind: 'expired', record };
    const sent = { ...record, sent: { atMs: moment.nowMs, at: markOf(moment), by } };
    store.write(sent);
    return this.submit(sent);
  }

  private async submit(record: HandleRecord): Promise<Execution> {
    const { plan, handle } = record;
    return this.ended(record, await this.parts.gatewayFor(plan.login).send<unknown>(plan.call, handle), false);
  }

  private ended(record: HandleRecord, outcome: TradeOutcome<unknown>, isRepeated: boolean): Execution {
    const ended = { ...record, outcome: { status: outcome.kind, answer: answerOf(outcome) } };
    this.parts.store.note(ended);
    return { kind: 'ended', record: ended, isRepeated };
  }

  /** An uncertain outcome is asked for under the same key: by the same request if it may be sent now, or else by ending the key. */
  private async repeat(record: HandleRecord): Promise<Execution> {
    const { outcome, plan, handle } = record;
    if (outcome !== null && outcome.status !== 'unknown') return { kind: 'ended', record, isRepeated: true };
    const gateway = this.parts.gatewayFor(plan.login);
    if (await this.maySendAgain(record)) {
      return this.ended(record, await gateway.resend<unknown>(plan.call, handle), true);
    }
    const report = await endedKey(gateway, handle);
    const status = statusOf(report);
    if (status !== 'unknown') this.parts.store.note({ ...record, outcome: { status, answer: report } });
    return { kind: 'looked_up', record, report };
  }

  /** The first request may not have arrived, and then this one is the first: what was allowed before may no longer be. */
  private async maySendAgain(record: HandleRecord): Promise<boolean> {
    if (isExpired(record, this.parts.now())) return false;
    try {
      this.requirePolicy();
      await this.requireSameAccount(record);
      return record.sent?.by !== 'policy' || (await this.reasonsNow(record)).length === 0;
    } catch {
      // What it touches is gone, perhaps by the first request; or nothing can be read.
      return false;
    }
  }
}

/** What became of a key; under one that was not sent, nothing will be from now on. Null: nothing is known. */
async function endedKey(gateway: GatewayClient, handle: string): Promise<TradeRequestReport | null> {
  try {
    return await gateway.voidTradeRequest(handle);
  } catch (error) {
    if (error instanceof GatewayReadError) return null;
    throw error;
  }
}

/** Lots of the positions and pending orders of one magic number. */
async function openLotsOf(magic: number, { reads }: GatewayClient): Promise<number> {
  const [positions, orders] = await Promise.all([reads.positions({ magic }), reads.orders({ magic })]);
  const volumes = [...positions.map(({ volume }) => volume), ...orders.map(({ volume_current }) => volume_current)];
  return volumes.reduce((sum, volume) => sum + volume, 0);
}

/**
 * On an account that is not hedging, a position and all orders of its symbol become one position, with the levels of the last of them,
 * whosever they are.
 * @param isSharing whether an order of the symbol was sent whose outcome is not known
 */
async function isJoiningAnother(
  { action, symbol, ticket }: TradePlan,
  { reads }: GatewayClient,
  isSharing: boolean,
): Promise<boolean> {
  if (action !== 'open' && action !== 'change') return false;
  const { margin_mode } = await reads.account();
  if (margin_mode === hedging) return false;
  // In this order, a pending order that fills between the reads is seen twice rather than never.
  const orders = await reads.orders({ symbol });
  const positions = await reads.positions({ symbol });
  // Another level of a position joins nothing.
  const isOrder = action === 'open' || orders.some((order) => order.ticket === ticket);
  return isOrder && (isSharing || positions.length > 0 || orders.some((order) => order.ticket !== ticket));
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
