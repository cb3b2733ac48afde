import { stepKeeper } from '../leases/keeper-core';
import {
  blankKeeper,
  runnableLease,
  type KeeperEffect,
  type KeeperEvent,
  type KeeperSettings,
  type LeaseAnswer,
  type LeaseRequest,
} from '../leases/keeper-state';

/** The row of a lease, as its table has it. */
interface LeaseRow {
  holder: string | null;
  token: number;
  untilMs: number;
}

/** What befalls the statement that is under way. */
export type StatementFate = 'answered' | 'answer lost' | 'request lost' | 'carried out';

const id = 'here';

/**
 * The core of the leases between a table of its statements and the units that it prepares. Nothing happens by itself: a test
 * says what happens next.
 */
export class KeeperWorld {
  state = blankKeeper;
  nowMs = 0;
  readonly rows = new Map<string, LeaseRow>();
  /** Other hosts that run. */
  others = 0;
  /** Whether an operator drains this host. */
  drains = false;
  readonly events: (readonly [event: KeeperEvent, nowMs: number])[] = [];
  /** Everything that the core has decided. */
  readonly effects: KeeperEffect[] = [];
  /** What a property of the leases does not hold for. */
  readonly violations: string[] = [];
  /** Leases whose units are being prepared, and those of which a unit is being closed. */
  readonly preparing: { readonly lease: number; readonly unit: string }[] = [];
  readonly closing: KeeperEvent[] = [];
  readonly replies = new Map<number, string | null>();
  asks = 0;
  private pending: { readonly request: LeaseRequest; readonly sentMs: number; answer: LeaseAnswer | null } | null =
    null;
  /** When the statement was sent that the table has carried out for the lease of a token last. */
  private readonly provenMs = new Map<string, number>();
  private readonly prepared = new Set<number>();

  constructor(
    readonly units: readonly string[],
    readonly settings: KeeperSettings = { id, leaseMs: 10_000, capacity: 3 },
  ) {}

  /** The statement that has no answer yet. */
  get request(): LeaseRequest | null {
    return this.pending?.request ?? null;
  }

  handle(event: KeeperEvent): void {
    this.events.push([event, this.nowMs]);
    const { state, effects } = stepKeeper(this.state, event, this.nowMs, this.settings);
    this.state = state;
    for (const effect of effects) this.perform(effect);
    this.effects.push(...effects);
    this.check();
  }

  ask(event: (ask: number) => KeeperEvent): number {
    const ask = ++this.asks;
    this.handle(event(ask));
    return ask;
  }

  round(): number {
    return this.ask((ask) => ({ kind: 'round', ask }));
  }

  /** Has the statement under way carried out, answered, or lost. */
  befall(fate: StatementFate): void {
    const { pending } = this;
    if (!pending) return;
    if (fate !== 'request lost') pending.answer ??= this.carryOut(pending.request, pending.sentMs);
    if (fate === 'carried out') return;
    this.pending = null;
    if (fate === 'answered' && pending.answer) this.handle({ kind: 'answered', answer: pending.answer });
    else this.handle({ kind: 'failed', problem: fate });
  }

  /** Ends the preparation that began first. */
  prepare(succeeds: boolean): void {
    const begun = this.preparing.shift();
    if (!begun) return;
    if (succeeds) this.prepared.add(begun.lease);
    this.handle(succeeds ? { kind: 'prepared', ...begun } : { kind: 'not prepared', ...begun, problem: 'no gateway' });
  }

  close(): void {
    const closed = this.closing.shift();
    if (closed) this.handle(closed);
  }

  /** Another host takes a lease, whether it has expired or not. */
  steal(unit: string): void {
    const row = this.rows.get(unit);
    if (row) this.rows.set(unit, { holder: 'elsewhere', token: row.token + 1, untilMs: this.nowMs + 30_000 });
  }

  /** Nothing goes wrong any more. */
  settle(): void {
    for (let steps = 0; steps < 1_000; steps++) {
      if (this.pending) this.befall('answered');
      else if (this.preparing.length > 0) this.prepare(true);
      else if (this.closing.length > 0) this.close();
      else return;
    }
    this.violations.push('it never comes to rest');
  }

  private perform(effect: KeeperEffect): void {
    switch (effect.kind) {
      case 'send':
        if (this.pending) this.violations.push('a second statement is sent before the answer to the first');
        this.pending = { request: effect.request, sentMs: this.nowMs, answer: null };
        return this.checkRequest(effect.request);
      case 'prepare':
        return void this.preparing.push({ lease: effect.lease.id, unit: effect.lease.fence.name });
      case 'admit':
        if (!this.prepared.delete(effect.lease)) this.violations.push('a unit runs that is not prepared');
        if (![...this.state.holdings.values()].some(({ lease, isPrepared }) => lease.id === effect.lease && isPrepared))
          this.violations.push('a unit runs without a lease');
        return;
      case 'close':
        if (!this.prepared.delete(effect.lease)) this.violations.push('a unit is closed that is not prepared');
        return void this.closing.push({ ...effect, kind: 'not prepared' });
      case 'discard':
        return void this.closing.push({ ...effect, kind: 'discarded' });
      case 'reply':
        if (this.replies.has(effect.ask)) this.violations.push('a caller is answered twice');
        return void this.replies.set(effect.ask, effect.problem);
      case 'changed':
      case 'log':
        return;
    }
  }

  private checkRequest(request: LeaseRequest): void {
    if (this.state.phase === 'ended' && (request.kind === 'renew' || request.kind === 'take'))
      this.violations.push(`a host that ends sends ${request.kind}`);
    if (request.kind !== 'renew') return;
    const held = [...this.state.holdings.values()]
      .map(({ lease }) => lease)
      .filter(({ endReason }) => endReason === null);
    if (JSON.stringify(held) !== JSON.stringify(request.leases)) this.violations.push('a renewal names other leases');
  }

  /** What holds at every moment. */
  private check(): void {
    if (this.state.holdings.size > this.settings.capacity) this.violations.push('more units than it has room for');
    for (const [unit, { lease }] of this.state.holdings) {
      const provenMs = this.provenMs.get(`${unit} ${lease.fence.token}`);
      if (provenMs === undefined || lease.renewedMs > provenMs)
        this.violations.push(`${unit} counts as renewed at ${lease.renewedMs}, and the table says ${provenMs}`);
      const runnable = runnableLease(this.state, unit);
      if (runnable !== null && runnable.endReason !== null) this.violations.push(`${unit} runs under an ended lease`);
    }
  }

  private carryOut(request: LeaseRequest, sentMs: number): LeaseAnswer {
    const { nowMs, settings } = this;
    const untilMs = nowMs + settings.leaseMs;
    const own = ({ fence }: { readonly fence: { readonly name: string; readonly token: number } }) => {
      const row = this.rows.get(fence.name);
      return row?.holder === id && row.token === fence.token ? [row] : [];
    };
    const prove = (name: string, token: number): unknown => this.provenMs.set(`${name} ${token}`, sentMs);
    switch (request.kind) {
      case 'renew': {
        const held = request.leases.filter((lease) => own(lease).length > 0);
        for (const lease of held) for (const row of own(lease)) row.untilMs = untilMs;
        for (const { fence } of held) prove(fence.name, fence.token);
        return { kind: 'renewed', names: held.map(({ fence }) => fence.name) };
      }
      case 'hosts': {
        const host = { capacity: settings.capacity, labels: [], ageMs: 0, leases: 0, isDraining: false };
        const others = Array.from({ length: this.others }, (_, index) => ({
          ...host,
          id: `o${index}`,
          name: `o${index}`,
        }));
        const hosts = [{ ...host, id, name: id, isDraining: this.drains }, ...others];
        return { kind: 'hosts', hosts, units: this.units.map((name) => ({ name, runsOn: [] })), version: null };
      }
      case 'open': {
        const free = request.names.filter((name) => (this.rows.get(name)?.untilMs ?? -1) < nowMs);
        return { kind: 'open', open: free.map((name) => ({ name, isFree: true, reservedFor: null })) };
      }
      case 'announce':
        for (const name of request.names) {
          if (!this.rows.has(name)) this.rows.set(name, { holder: null, token: 0, untilMs: -1 });
        }
        return { kind: 'done' };
      case 'take': {
        const names = request.names
          .filter((name) => (this.rows.get(name)?.untilMs ?? nowMs) < nowMs)
          .slice(0, request.limit);
        const leases = names.map((name) => ({ name, token: (this.rows.get(name)?.token ?? 0) + 1 }));
        for (const { name, token } of leases) this.rows.set(name, { holder: id, token, untilMs });
        for (const { name, token } of leases) prove(name, token);
        return { kind: 'taken', leases };
      }
      case 'raise': {
        const [row] = own(request.lease);
        if (!row) return { kind: 'raised', lease: null };
        row.token = Math.max(row.token, request.stored) + 1;
        const { name } = request.lease.fence;
        this.provenMs.set(`${name} ${row.token}`, this.provenMs.get(`${name} ${request.lease.fence.token}`) ?? sentMs);
        return { kind: 'raised', lease: { name, token: row.token } };
      }
      case 'release':
        for (const lease of request.leases)
          for (const row of own(lease)) Object.assign(row, { holder: null, untilMs: -1 });
        return { kind: 'done' };
      case 'unreserve':
      case 'leave':
        return { kind: 'done' };
    }
  }
}
