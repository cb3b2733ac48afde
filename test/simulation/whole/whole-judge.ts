import type { Intent } from '../../../apps/daemon/src/core/strategy-event';
import type { IntentRecord, KeptRecord, OwnedTicket, StateText } from '../../../apps/daemon/src/core/records';
import type { HttpRequest } from '../asks';
import type { CommittedEntry } from '../gated-disk';
import type { Violation } from '../judge';
import { LastPause } from '../judging/last-pause';
import type { VirtualTime } from '../virtual-time';
import { type GatewayObstacles, type ToldHealth, toldWell } from './invariants/health';
import { beganWithOldState, sentBeforeItsState } from './invariants/kept-states';
import {
  changedUnderKey,
  enteredLate,
  enteredOnOldBar,
  enteredThoughHalted,
  enteredTwice,
  sentBeforeState,
  type Decision,
} from './invariants/requests';
import { trailedElse, trailedTwice } from './invariants/trails';
import type { FleetJudge } from './fleet-judge';
import { TradeAsks, type TradeAsk } from './trade-asks';
import { TrailWatch } from './trail-watch';

/** What a slow disk, and an account that has to be read first, delay a request by after its checks. */
const writesMs = { usual: 1_000, slow: 10_000 } as const;
/** A bar is known as closed when its successor opens: the first quote after it. */
const barSlackMs = 5_000;
const haltSlackMs = 2_000;
/** The bar that closes when a clock is set may be decided on for its own length. */
const barAfterSetMs = 300_000;
/** A market goes on with the first quote after it was frozen. */
const frozenNoticedMs = 10_000;

/** Holds what the daemon does against the invariants, and keeps the first violation. */
export class WholeJudge {
  violation: Violation | null = null;
  readonly asks = new TradeAsks();
  readonly trails = new TrailWatch();
  /** Of a fleet; null for one daemon. */
  fleet: FleetJudge | null = null;
  /** Requests that were on the daemon's disk when they were sent, by key. */
  readonly durable = new Map<string, IntentRecord>();
  /** What strategies keep, on the daemon's disk, by strategy. */
  private readonly kept = new Map<string, KeptRecord>();
  private readonly decisions = new Map<string, Decision>();
  private readonly haltedSince = new Map<string, number>();
  private readonly pause = new LastPause();
  private frozen = { fromMs: -Infinity, toMs: -Infinity };
  private slowUntilMs = -Infinity;
  private readonly clockSets: { readonly byMs: number; readonly untilMs: number }[] = [];

  /** @param quoteGapMs how far the quotes of a market are apart at most, in milliseconds */
  constructor(
    private readonly time: VirtualTime,
    private readonly quoteGapMs: number,
  ) {}

  /** A strategy has decided on an event. @param decision what on */
  decided(strategy: string, intents: readonly Intent[], decision: Decision): void {
    for (const { id } of intents) this.decisions.set(`${strategy} ${id}`, decision);
    this.trails.decided(strategy, intents);
  }

  /** The daemon has written requests, and what strategies keep, to its disk. */
  committed(entries: readonly CommittedEntry[]): void {
    for (const { value } of entries) {
      if (isIntent(value)) this.durable.set(value.key, value);
      if (isKept(value)) this.kept.set(value.strategy, value);
      if (isTicket(value)) this.trails.committed(value);
    }
  }

  /** A run of the daemon has opened its disk, with what its last run wrote: a write that a kill cut short may be among it. */
  found(entries: readonly CommittedEntry[]): void {
    for (const { value } of entries) {
      if (isIntent(value)) this.durable.set(value.key, value);
      if (isKept(value)) this.kept.set(value.strategy, value);
      if (isTicket(value)) this.trails.found(value);
    }
  }

  /** A strategy begins with what it keeps. */
  began(strategy: string, state: StateText | null): void {
    const problems = beganWithOldState(strategy, state, this.kept.get(strategy) ?? null);
    this.report('a strategy begins with what it kept', problems);
  }

  /** The daemon sends a request to a gateway. @param version of the configuration of a fleet that it runs; null: unknown */
  requested(site: number, request: HttpRequest, run: number, version: number | null): void {
    const { elapsedMs } = this.time;
    const { size } = this.asks.byKey;
    const ask = this.asks.note(site, request, elapsedMs, run);
    if (!ask) return;
    this.fleet?.requested(run, site, ask, request, version);
    const isFirst = this.asks.byKey.size > size;
    const excusedMs = this.excusedMs;
    this.report('a key keeps its request', changedUnderKey(ask, site, request));
    this.report('no entry is sent before it is in the state', sentBeforeState(ask, this.durable));
    this.report('an entry has one key', enteredTwice(ask, this.durable, this.asks.byKey));
    this.report('an entry is not repeated late', enteredLate(ask, elapsedMs, run, excusedMs));
    const record = this.durable.get(ask.key);
    const decision = this.decisions.get(`${record?.strategy} ${record?.intentId}`) ?? null;
    this.report(
      'nothing is entered on an old bar',
      enteredOnOldBar(ask, decision, barSlackMs + this.marketStoodMs + excusedMs),
    );
    const kept = this.kept.get(record?.strategy ?? '') ?? null;
    this.report('no entry is sent before what its strategy keeps is on disk', sentBeforeItsState(ask, decision, kept));
    const haltedSinceMs = this.haltedSince.get(record?.strategy ?? '') ?? null;
    this.report('a halted strategy enters nothing', enteredThoughHalted(ask, haltedSinceMs, haltSlackMs + excusedMs));
    if (record?.isTrailing === true && isFirst) this.trailing(ask, record);
  }

  /** Whether all requests for what a send does are moves of a trailing stop. */
  isTrailing(asks: readonly TradeAsk[]): boolean {
    return asks.length > 0 && asks.every(({ key }) => this.durable.get(key)?.isTrailing === true);
  }

  /** The group of the request behind an order with this comment; null without one. */
  groupOf(site: number, comment: string): string | null {
    const record = this.durable.get(this.asks.withTag(site, comment)?.key ?? '');
    return record?.oco === undefined ? null : `${record.strategy} ${record.oco}`;
  }

  /** How a strategy stands now. @param halt why it is halted; null when it is not */
  strategySeen(name: string, halt: string | null): void {
    if (halt === null) this.haltedSince.delete(name);
    else if (!this.haltedSince.has(name)) this.haltedSince.set(name, this.time.elapsedMs);
    if (halt?.startsWith('positions under magic') === true) {
      this.report('a strategy holds only what it asked for', [`${name} is halted: ${halt}`]);
    }
  }

  /** The daemon has reported how one gateway is. */
  toldHealth(name: string, told: ToldHealth, obstacles: GatewayObstacles): void {
    this.report('healthy is not reported while orders cannot be placed', toldWell(name, told, obstacles));
  }

  /** The daemon stands still for a while. */
  paused(ms: number): void {
    this.pause.begin(this.time.elapsedMs, ms);
  }

  /** A market has no new quotes for a while. */
  quotesFrozen(ms: number): void {
    const { elapsedMs } = this.time;
    const fromMs = this.frozen.toMs > elapsedMs ? this.frozen.fromMs : elapsedMs;
    this.frozen = { fromMs, toMs: Math.max(this.frozen.toMs, elapsedMs + ms) };
  }

  /**
   * The clock of a server is set for a while. Its bars state other times, and the last one of before closes only when another one
   * opens after it: when the clock has passed it again, or is set forward.
   * @param forMs for how long
   */
  serverClockSet(byMs: number, forMs: number): void {
    const movedMs = Math.abs(byMs);
    this.clockSets.push({ byMs: movedMs, untilMs: this.time.elapsedMs + forMs + movedMs + barAfterSetMs });
  }

  /** "`bar.lateMs` says how long ago the bar closed, in milliseconds of market time": it passes with quotes only. */
  private get marketStoodMs(): number {
    const isRecent = this.frozen.toMs > this.time.elapsedMs - frozenNoticedMs;
    const sets = this.clockSets.filter(({ untilMs }) => untilMs > this.time.elapsedMs);
    const movedMs = Math.max(0, ...sets.map(({ byMs }) => byMs));
    return this.quoteGapMs + movedMs + (isRecent ? this.frozen.toMs - this.frozen.fromMs : 0);
  }

  /** The daemon's disk is slow for a while. */
  slow(ms: number): void {
    this.slowUntilMs = Math.max(this.slowUntilMs, this.time.elapsedMs + ms + writesMs.slow);
  }

  /** What may lie between a check of the daemon and its send, in milliseconds. */
  get excusedMs(): number {
    const { elapsedMs } = this.time;
    const disk = elapsedMs < this.slowUntilMs ? writesMs.slow : writesMs.usual;
    return disk + this.pause.nearMs(elapsedMs, 2 * writesMs.slow);
  }

  /** Something happened that would end the process. */
  crashed(error: unknown): void {
    const reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
    this.report('no program ends on its own', [reason]);
  }

  private trailing(ask: TradeAsk, record: IntentRecord): void {
    this.report('a trailing stop moves the stop-loss alone', trailedElse(ask));
    this.report('a trailing stop waits for other changes', trailedTwice(record, this.durable.values()));
  }

  report(invariant: string, problems: readonly string[]): void {
    const [what] = problems;
    if (what !== undefined) this.violation ??= { invariant, what };
  }
}

function isTicket(value: unknown): value is OwnedTicket {
  return typeof value === 'object' && value !== null && 'volumeIn' in value;
}

function isKept(value: unknown): value is KeptRecord {
  return typeof value === 'object' && value !== null && 'json' in value;
}

function isIntent(value: unknown): value is IntentRecord {
  return typeof value === 'object' && value !== null && 'key' in value && 'intentId' in value;
}
