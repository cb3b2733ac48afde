import { assign, holds, type Row } from './conditions';
import { order, scopeOf, type Call, type Known, type Rows } from './statement';

const never = Number.NEGATIVE_INFINITY;

/** The table of leases. Conditions and assignments are evaluated as they stand in the statements. */
export class LeaseRows {
  readonly statements: readonly Known[] = [
    [
      'insert into lease (name) select unnest($1::text[]) order by 1 on conflict do nothing',
      (call) => this.announce(call),
    ],
    [
      /^with free as \(.* where (?<where>expires_at .+?) and \(\$5::int is null or \$5 >= \(select coalesce\(max\(version\), 0\) from configuration\)\) order by place limit \$2 for update of lease skip locked \) update lease set (?<set>.+) from free where lease\.name = free\.name returning lease\.name, lease\.token$/,
      (call) => this.take(call),
    ],
    [
      /^with released as \( update lease set (?<set>.+) from unnest\(.+?\) as held \(name, token\) where (?<where>.+) returning lease\.name \) select pg_notify\('(?<channel>\w+)', name\) from released$/,
      (call) => this.notified(call, this.changeHeld(call)),
    ],
    [
      `select wanted.name, coalesce(expires_at < now(), true) as "isFree",
         case when reserved_until > now() then reserved_for end as "reservedFor"
       from unnest($1::text[]) as wanted (name) left join lease using (name)
       where lease.name is null or expires_at < now() or reserved_until > now()`,
      (call) => this.open(call),
    ],
    [
      /^with asked as \( update lease set (?<set>.+) where (?<where>name = \$1) returning name \) select name, pg_notify\('(?<channel>\w+)', name\) from asked$/,
      (call) => this.notified(call, this.change(call).map(named)),
    ],
    [/^select 1 from lease where (?<where>.+)$/, (call) => this.found(call).map(() => ({ '?column?': 1 }))],
    [
      /^update lease set (?<set>.+) where (?<where>.+) returning token$/,
      (call) => this.change(call).map(({ token }) => ({ token })),
    ],
    [/^update lease set (?<set>.+) where (?<where>name = \$1 and reserved_for = \$2)$/, (call) => this.quietly(call)],
  ];
  private readonly rows = new Map<string, Row>();

  constructor(
    private readonly notify: (channel: string, payload: string) => void,
    /** The newest version of the configuration; 0 before the first one. */
    private readonly newestVersion: () => number,
  ) {}

  /** Leases that have not ended, of one host; by name. */
  heldBy(host: string, nowMs: number): string[] {
    return [...this.rows.values()]
      .filter(({ holder, expires_at }) => holder === host && Number(expires_at) > nowMs)
      .map(({ name }) => String(name))
      .sort(order);
  }

  all(): readonly Row[] {
    return [...this.rows.values()].sort((one, other) => order(String(one['name']), String(other['name'])));
  }

  /** Leases that a condition names. */
  found(call: Call): readonly Row[] {
    return [...this.rows.values()].filter((row) => holds(call.parts['where'] ?? '', scopeOf(call, row)));
  }

  /** Changes the leases that a condition names. */
  change(call: Call): readonly Row[] {
    const rows = this.found(call);
    for (const row of rows) assign(call.parts['set'] ?? '', row, scopeOf(call, row));
    return rows;
  }

  /** Changes the leases of a list of names and tokens. */
  changeHeld(call: Call): readonly Named[] {
    const [names, tokens] = call.values as [string[], string[]];
    return names.flatMap((name, index) => {
      const row = this.rows.get(name);
      const held = { name, token: tokens[index] ?? null };
      if (!row || !holds(call.parts['where'] ?? '', scopeOf(call, row, held))) return [];
      assign(call.parts['set'] ?? '', row, scopeOf(call, row, held));
      return [{ name }];
    });
  }

  private announce({ values: [names] }: Call): Rows {
    for (const name of names as string[]) {
      const free = { holder: null, token: '0', expires_at: never, reserved_for: null, reserved_until: never };
      if (!this.rows.has(name)) this.rows.set(name, { name, ...free, commits: '0' });
    }
    return [];
  }

  private take(call: Call): Rows {
    const [names, limit, , , version] = call.values as Taking;
    if (version !== null && version < this.newestVersion()) return [];
    const free = names
      .flatMap((name): Row[] => [this.rows.get(name)].filter((row) => row !== undefined))
      .filter((row) => holds(call.parts['where'] ?? '', scopeOf(call, row)))
      .slice(0, limit);
    return free.map((row) => {
      assign(call.parts['set'] ?? '', row, scopeOf(call, row));
      return { name: row['name'], token: row['token'] };
    });
  }

  private open({ values: [names], nowMs }: Call): Rows {
    return (names as string[]).flatMap((name) => {
      const row = this.rows.get(name);
      if (!row) return [{ name, isFree: true, reservedFor: null }];
      const isFree = Number(row['expires_at']) < nowMs;
      const isReserved = Number(row['reserved_until']) > nowMs;
      return isFree || isReserved ? [{ name, isFree, reservedFor: isReserved ? row['reserved_for'] : null }] : [];
    });
  }

  private notified(call: Call, rows: readonly Named[]): Rows {
    for (const { name } of rows) this.notify(call.parts['channel'] ?? '', name);
    return rows.map(({ name }) => ({ name, pg_notify: '' }));
  }

  private quietly(call: Call): Rows {
    this.change(call);
    return [];
  }
}

type Taking = [names: string[], limit: number, id: string, leaseMs: number, version: number | null];

interface Named {
  readonly name: string;
}

function named({ name }: Row): Named {
  return { name: String(name) };
}
