import type { CommandArgs, CommandName, CommandResult } from '@libs/postgres';
import type { DaemonFile } from '../../../apps/daemon/src/daemon-file/daemon-file';
import { unitsOf } from '../../../apps/daemon/src/leases/units';
import type { IntentRecord } from '../../../apps/daemon/src/core/records';
import type { Intent } from '../../../apps/daemon/src/core/strategy-event';
import type { HttpRequest } from '../asks';
import type { CommittedEntry } from '../gated-disk';
import type { SendRecord } from '../sends';
import type { VirtualTime } from '../virtual-time';
import type { DatabaseJudge } from './database-way';
import {
  enteredAfterLease,
  exitNotKept,
  renewedOldToken,
  sentForEarlierHolder,
  tokenNotHigher,
  unfenced,
  writtenUnderOldToken,
  type Claim,
} from './invariants/leases';
import { enteredThoughRemoved, foreignToken, permittedTwice, takenThoughRemoved } from './invariants/placement';
import type { TradeAsk } from './trade-asks';

export interface FleetWorld {
  readonly time: VirtualTime;
  readonly leaseMs: number;
  /** The requests in the state, by key. */
  readonly durable: ReadonlyMap<string, IntentRecord>;
  report(invariant: string, problems: readonly string[]): void;
  /** Entries that are in the database now. */
  committed(entries: readonly CommittedEntry[]): void;
}

/** A run of a host: unlike every other run of any host. */
export type HostRun = number;

const runsOfHost = 1_000;

/** What follows from some of the commands. */
type Watched<Outcome> = {
  readonly [Name in CommandName]?: (args: CommandArgs<Name>, result: CommandResult<Name>) => Outcome;
};

/** @param host from 0 @param run of its daemon, from 1 */
export function hostRun(host: number, run: number): HostRun {
  return host * runsOfHost + run;
}

/** Holds the leases of a fleet, and what is sent under them, against the invariants. */
export class FleetJudge implements DatabaseJudge {
  /** The highest token of each lease. */
  private readonly newest = new Map<string, number>();
  /** When a lease was renewed last, as its host knows it, by run and name. */
  private readonly renewed = new Map<string, number>();
  private readonly decided = new Map<string, number>();
  /** The highest token under which a request was sent, by its key. */
  private readonly claims = new Map<string, Claim>();
  /** The highest token that sent a request, by the name of the lease. */
  private readonly trading = new Map<string, number>();
  /** The highest raise that was answered, by gateway and name. */
  private readonly raised = new Map<string, number>();

  /** The tokens that a run of a host has had, by run and name. */
  private readonly issuedTo = new Map<string, Set<number>>();
  /** The versions that were applied, from the first one on. */
  private readonly versions: DaemonFile[] = [];
  /** Until when a lease may have ended early, by the server's clock. */
  private aheadUntilMs = -Infinity;
  /** Exits in the journals of the hosts, by key. */
  private readonly journaled = new Set<string>();
  /** Hosts whose disk may not have taken an exit. */
  private readonly failedDisks = new Set<number>();

  private readonly watched: Watched<void> = {
    take: (_, leases) => leases.forEach((lease) => this.taken(lease)),
    raise: (_, lease) => (lease === null ? undefined : this.issued(lease)),
    renew: (args, renewed) => this.renewing(args, renewed),
    write: (args, commits) => (commits === null ? undefined : this.written(args)),
  };

  constructor(private readonly world: FleetWorld) {}

  /** The disk of a host has new entries. */
  committedOn(entries: readonly CommittedEntry[]): void {
    for (const { value } of entries) if (isJournaled(value)) this.journaled.add(value.intent.key);
  }

  diskFails(host: number): void {
    this.failedDisks.add(host);
  }

  /** A version is in the database. */
  applied(version: number, file: DaemonFile): void {
    this.versions[version - 1] = file;
  }

  /** The server's clock is set. @param byMs how far ahead */
  clockSet(byMs: number): void {
    if (byMs > 0) this.aheadUntilMs = this.world.time.elapsedMs + this.world.leaseMs;
  }

  /** The leases of these units permit entries now. @param hosts the hosts of each */
  permits(hosts: ReadonlyMap<string, readonly string[]>): void {
    if (this.world.time.elapsedMs < this.aheadUntilMs) return;
    for (const [unit, names] of hosts) {
      this.world.report('a unit enters on one host at a time', permittedTwice(unit, names));
    }
  }

  /** Whether a token is the newest of its lease. */
  isNewest({ name, token }: Claim): boolean {
    return this.newest.get(name) === token;
  }

  executed<Name extends CommandName>(name: Name, args: CommandArgs<Name>, result: CommandResult<Name>): void {
    this.watched[name]?.(args, result);
  }

  answered<Name extends CommandName>(
    run: HostRun,
    name: Name,
    args: CommandArgs<Name>,
    result: CommandResult<Name>,
    sentMs: number,
  ): void {
    const { issued, renewed } = answersOf[name]?.(args, result) ?? { issued: [], renewed: [] };
    for (const { name: unit, token } of issued) {
      const id = `${run} ${unit}`;
      this.issuedTo.set(id, (this.issuedTo.get(id) ?? new Set()).add(token));
    }
    for (const unit of renewed) {
      const id = `${run} ${unit}`;
      this.renewed.set(id, Math.max(sentMs, this.renewed.get(id) ?? -Infinity));
    }
  }

  /** A strategy has decided on an event. */
  decides(strategy: string, intents: readonly Intent[]): void {
    for (const { id } of intents) this.decided.set(`${strategy} ${id}`, this.world.time.elapsedMs);
  }

  /** A run of a host sends a trade request. @param version that the host runs as a whole; null: unknown, or that of a file */
  requested(run: HostRun, site: number, ask: TradeAsk, { headers }: HttpRequest, version: number | null): void {
    const { report, durable, leaseMs } = this.world;
    const header = headers?.['x-fence'];
    const [name = '', token = ''] = header?.split(';') ?? [];
    const record = durable.get(ask.key);
    if (record) report('a request names the fence of its unit', unfenced(ask.key, unitOf(record.strategy), header));
    if (header === undefined) return;
    const claim = { name, token: Number(token) };
    const tokens = this.issuedTo.get(`${run} ${name}`) ?? new Set();
    report('a request names a token of its host', foreignToken(ask.key, name, claim.token, tokens));
    if (record && ask.isEntry && version !== null) this.entered(ask.key, record.strategy, version);
    keepHighest(this.trading, name, claim.token);
    const before = this.claims.get(`${site} ${ask.key}`);
    if (before === undefined || before.token < claim.token) this.claims.set(`${site} ${ask.key}`, claim);
    if (before !== undefined) return;
    if (!ask.isEntry && !this.failedDisks.has(Math.floor(run / runsOfHost))) {
      report(
        'an exit is kept before it is sent',
        exitNotKept(ask.key, this.journaled.has(ask.key) || record !== undefined),
      );
    }
    if (!ask.isEntry || !record) return;
    const decidedAtMs = this.decided.get(`${record.strategy} ${record.intentId}`);
    if (decidedAtMs === undefined) return;
    const renewedAtMs = this.renewed.get(`${run} ${name}`) ?? null;
    report('no entry is made late in its lease', enteredAfterLease(ask.key, decidedAtMs, renewedAtMs, leaseMs));
  }

  /** A host was told that a gateway has raised a fence. */
  raiseAnswered(site: number, { name, token }: Claim): void {
    keepHighest(this.raised, `${site} ${name}`, token);
  }

  /** A gateway sends what a request asked for. */
  sending(site: number, send: SendRecord, { key }: TradeAsk): void {
    const claim = this.claims.get(`${site} ${key}`);
    if (!claim) return;
    const raised = this.raised.get(`${site} ${claim.name}`) ?? 0;
    const trading = this.trading.get(claim.name) ?? 0;
    this.world.report('no strategy is run twice', sentForEarlierHolder(send, claim, { raised, trading }));
  }

  private taken(claim: Claim): void {
    const newest = this.versions.at(-1);
    if (newest) {
      const units = new Set(unitsOf(newest).map(({ name }) => name));
      this.world.report('a removed unit trades no more', takenThoughRemoved(claim.name, this.versions.length, units));
    }
    this.issued(claim);
  }

  /** A later version may be being taken over. */
  private entered(key: string, strategy: string, version: number): void {
    const names = this.versions.slice(version - 1).flatMap(({ strategies }) => strategies.map(({ name }) => name));
    const problems = enteredThoughRemoved(key, strategy, version, new Set(names));
    this.world.report('a removed unit trades no more', problems);
  }

  private issued(claim: Claim): void {
    const { name, token } = claim;
    this.world.report('tokens of a lease grow', tokenNotHigher(claim, this.newest.get(name) ?? 0));
    keepHighest(this.newest, name, token);
  }

  private renewing({ leases }: CommandArgs<'renew'>, renewed: readonly string[]): void {
    for (const claim of leases.filter(({ name }) => renewed.includes(name))) {
      this.world.report('a lease is renewed by its holder', renewedOldToken(claim, this.newest.get(claim.name) ?? 0));
    }
  }

  private written({ lease, puts }: CommandArgs<'write'>): void {
    const problems = writtenUnderOldToken(lease, this.newest.get(lease.name) ?? 0);
    this.world.report('state is written under the newest token', problems);
    const entries = puts.flatMap(({ table, value }, index) => {
      if (!watchedTables.includes(table)) return [];
      return [{ key: `${lease.name} ${table} ${index}`, value: JSON.parse(String(value)) as unknown }];
    });
    this.world.committed(entries);
  }
}

/** The tokens that an answer gives to a host, and the leases that the host knows as renewed by it. */
const answersOf: Watched<{ readonly issued: readonly Claim[]; readonly renewed: readonly string[] }> = {
  take: (_, leases) => ({ issued: leases, renewed: leases.map(({ name }) => name) }),
  raise: (_, lease) => ({ issued: lease === null ? [] : [lease], renewed: [] }),
  renew: (_, renewed) => ({ issued: [], renewed }),
};

/** The tables of the state that requests and tickets are in, and what strategies keep. */
export const watchedTables: readonly string[] = ['intents-by-strategy', 'tickets-by-strategy', 'kept-by-strategy'];

function isJournaled(value: unknown): value is { readonly intent: { readonly key: string } } {
  return typeof value === 'object' && value !== null && 'token' in value && 'intent' in value;
}

/** A child of a portfolio is named `portfolio/child`. */
export function unitOf(strategy: string): string {
  return strategy.split('/', 1)[0] ?? strategy;
}

function keepHighest(tokens: Map<string, number>, name: string, token: number): void {
  tokens.set(name, Math.max(token, tokens.get(name) ?? 0));
}
