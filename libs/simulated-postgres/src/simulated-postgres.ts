import type { Clock } from '@libs/clock';
import {
  appliedPayload,
  type CommandArgs,
  type CommandName,
  type CommandResult,
  type Entry,
  type EntryId,
  type FleetDatabase,
  type FleetHost,
  type Holder,
  type HostRow,
  type Lease,
} from '@libs/postgres';

/** Carries out one command at once, at a time of the server's clock. */
type InMemory = {
  readonly [Name in CommandName]: (args: CommandArgs<Name>, nowMs: number) => CommandResult<Name>;
};

interface LeaseRow {
  readonly name: string;
  holder: string | null;
  token: number;
  expiresMs: number;
  reservedFor: string | null;
  reservedMs: number;
  commits: number;
  readonly entries: Map<string, Entry>;
}

interface HostState extends Holder {
  readonly leaseMs: number;
  capacity: number;
  seenMs: number;
  isDraining: boolean;
  report: string | null;
  publishedMs: number | null;
}

const never = Number.NEGATIVE_INFINITY;
const dayMs = 86_400_000;

/**
 * The database of a fleet in memory, with a clock of its own. Each command is carried out at once, and what it has changed
 * outlives every client.
 */
export class SimulatedPostgres {
  /** How far the server's clock is off, in milliseconds. */
  offMs = 0;
  private readonly listeners = new Set<(payload: string) => void>();
  private readonly leases = new Map<string, LeaseRow>();
  private readonly hosts = new Map<string, HostState>();
  /** The texts of the configuration by version, which the product numbers one after the other. */
  private readonly versions = new Map<number, string>();

  private readonly commands: InMemory = {
    announce: ({ names }) => {
      for (const name of names.filter((one) => !this.leases.has(one))) this.leases.set(name, freeLease(name));
    },

    take: ({ names, limit, holder, leaseMs, version }, nowMs) => {
      if (version !== null && version < this.newestVersion) return [];
      const free = this.rowsOf(names).filter(({ expiresMs }) => expiresMs < nowMs);
      return free.slice(0, limit).map((row) => {
        Object.assign(row, { holder, token: row.token + 1, expiresMs: nowMs + leaseMs });
        return { name: row.name, token: row.token };
      });
    },

    renew: ({ leases, holder, leaseMs }, nowMs) => {
      for (const { id, seenMs } of [...this.hosts.values()]) {
        if (id !== holder.id && seenMs < nowMs - dayMs) this.hosts.delete(id);
      }
      const known = this.hosts.get(holder.id);
      const first = { isDraining: false, report: null, publishedMs: null };
      const host = known ?? { ...holder, labels: [...holder.labels], leaseMs, seenMs: nowMs, ...first };
      this.hosts.set(holder.id, Object.assign(host, { capacity: holder.capacity, seenMs: nowMs }));
      const held = this.heldRows(leases, holder.id);
      for (const row of held) row.expiresMs = nowMs + leaseMs;
      return held.map(({ name }) => name);
    },

    release: ({ leases, holder }) => {
      for (const row of this.heldRows(leases, holder)) {
        Object.assign(row, { holder: null, expiresMs: never });
        this.notify(row.name);
      }
    },

    raise: ({ lease, holder, stored }) => {
      const [row] = this.heldRows([lease], holder);
      if (!row) return null;
      row.token = Math.max(row.token, stored) + 1;
      return { name: row.name, token: row.token };
    },

    open: ({ names }, nowMs) =>
      names.flatMap((name) => {
        const { expiresMs, reservedFor, reservedMs } = this.leases.get(name) ?? freeLease(name);
        const [isFree, isReserved] = [expiresMs < nowMs, reservedMs > nowMs];
        return isFree || isReserved ? [{ name, isFree, reservedFor: isReserved ? reservedFor : null }] : [];
      }),

    reserve: ({ unit, host, forMs }, nowMs) => {
      const [row] = this.rowsOf([unit]);
      if (!row) return false;
      Object.assign(row, { reservedFor: host, reservedMs: nowMs + forMs });
      this.notify(unit);
      return true;
    },

    unreserve: ({ unit, host }) => {
      for (const row of this.rowsOf([unit]).filter(({ reservedFor }) => reservedFor === host))
        Object.assign(row, { reservedFor: null, reservedMs: never });
    },

    isReserved: ({ unit, host }, nowMs) =>
      this.rowsOf([unit]).some(({ reservedFor, reservedMs }) => reservedFor === host && reservedMs > nowMs),

    leases: (_, nowMs) =>
      [...this.leases.values()].sort(byName).map(({ name, token, holder, expiresMs }) => {
        const remainingMs = Math.max(0, expiresMs - nowMs);
        if (remainingMs === 0) return { name, token, holder: null, host: null, remainingMs };
        return { name, token, holder, host: this.hosts.get(holder ?? '')?.name ?? null, remainingMs };
      }),

    leave: ({ host }) => void this.hosts.delete(host),

    seenHosts: ({ withinMs }, nowMs) =>
      this.sortedHosts
        .filter(({ seenMs }) => seenMs > nowMs - withinMs)
        .map((host) => ({ ...shown(host, nowMs), leases: this.heldBy(host.id, nowMs).length })),

    hosts: ({ leases }, nowMs) =>
      [...this.hosts.values()]
        .sort((one, other) => byName(one, other) || other.seenMs - one.seenMs)
        .map((host) => ({ ...shown(host, nowMs), isRunning: isRunning(host, leases, nowMs) })),

    drain: ({ name, isDraining, leases }, nowMs) => {
      const asked = [...this.hosts.values()].filter((host) => host.name === name && isRunning(host, leases, nowMs));
      for (const host of asked) host.isDraining = isDraining;
      for (const { id } of asked) this.notify(id);
      return asked.map(({ id }) => id);
    },

    publish: ({ host, report }, nowMs) => {
      const row = this.hosts.get(host);
      if (row) Object.assign(row, { report, publishedMs: nowMs });
    },

    reports: (_, nowMs) =>
      this.sortedHosts.map(({ id, name, report, publishedMs }) => {
        const ageMs = publishedMs === null ? null : nowMs - publishedMs;
        return { id, name, report, ageMs, leases: this.heldBy(id, nowMs) };
      }),

    newest: () => {
      const text = this.versions.get(this.newestVersion);
      return text === undefined ? null : { version: this.newestVersion, text };
    },

    newestVersion: () => this.newestVersion,

    apply: ({ version, text }) => {
      if (this.versions.has(version)) return false;
      this.versions.set(version, text);
      this.notify(appliedPayload);
      return true;
    },

    read: ({ lease: { name, token } }) => {
      const row = this.leases.get(name);
      if (row?.token !== token) return null;
      return { commits: String(row.commits), entries: [...row.entries.values()].map(copied) };
    },

    write: ({ lease: { name, token }, commits, removed, puts }) => {
      const row = this.leases.get(name);
      if (row?.token !== token || String(row.commits) !== commits) return null;
      for (const entry of removed) row.entries.delete(idOf(entry));
      for (const entry of puts) row.entries.set(idOf(entry), copied(entry));
      row.commits += 1;
      return String(row.commits);
    },
  };

  constructor(private readonly clock: Pick<Clock, 'nowMs'>) {}

  /** Carries out one command. */
  execute<Name extends CommandName>(name: Name, args: CommandArgs<Name>): CommandResult<Name> {
    return this.commands[name](args, this.nowMs);
  }

  /** A lease ends now, by the server's clock. */
  expire(name: string): void {
    for (const row of this.rowsOf([name])) row.expiresMs = this.nowMs - 1_000;
  }

  /** @param notify called in the command that notifies @returns ends it */
  listen(notify: (payload: string) => void): () => void {
    const listener = (payload: string): void => notify(payload);
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  /** A connection that never fails. */
  connect(): FleetDatabase {
    return {
      call: (name, args) => Promise.resolve().then(() => this.execute(name, args)),
      listen: (notify) => Promise.resolve(this.listen(notify)),
      close: () => Promise.resolve(),
    };
  }

  private get nowMs(): number {
    return this.clock.nowMs() + this.offMs;
  }

  private get newestVersion(): number {
    return [...this.versions.keys()].at(-1) ?? 0;
  }

  private rowsOf(names: readonly string[]): LeaseRow[] {
    return names.flatMap((name) => this.leases.get(name) ?? []);
  }

  /** Of these leases those that a host holds under their tokens. */
  private heldRows(leases: readonly Lease[], holder: string): LeaseRow[] {
    return leases.flatMap(({ name, token }) =>
      this.rowsOf([name]).filter((row) => row.token === token && row.holder === holder),
    );
  }

  /** Names of the leases that have not ended, of one host. */
  private heldBy(host: string, nowMs: number): string[] {
    const held = [...this.leases.values()].filter(({ holder, expiresMs }) => holder === host && expiresMs > nowMs);
    return held.sort(byName).map(({ name }) => name);
  }

  private get sortedHosts(): HostState[] {
    return [...this.hosts.values()].sort((one, other) => byName(one, other) || order(one.id, other.id));
  }

  private notify(payload: string): void {
    for (const notify of [...this.listeners]) notify(payload);
  }
}

function freeLease(name: string): LeaseRow {
  const free = { holder: null, token: 0, expiresMs: never, reservedFor: null, reservedMs: never };
  return { name, ...free, commits: 0, entries: new Map() };
}

function shown(host: HostState, nowMs: number): Omit<FleetHost, 'isRunning'> & Omit<HostRow, 'leases'> {
  const { id, name, capacity, isDraining, labels, seenMs } = host;
  return { id, name, capacity, isDraining, labels: [...labels], ageMs: nowMs - seenMs };
}

/** @param leases how many of its leases a host that is not seen is taken for running */
function isRunning({ seenMs, leaseMs }: HostState, leases: number, nowMs: number): boolean {
  return seenMs > nowMs - leases * leaseMs;
}

function idOf({ table, key }: EntryId): string {
  return `${table} ${key.toString('latin1')}`;
}

function copied({ table, key, value }: Entry): Entry {
  return { table, key: Buffer.from(key), value: Buffer.from(value) };
}

function byName(one: { readonly name: string }, other: { readonly name: string }): number {
  return order(one.name, other.name);
}

/** The order of two texts in the collation C. */
function order(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}
