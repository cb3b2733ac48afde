import type { LeaseRows } from './lease-rows';
import { literally, type Call, type Known, type Rows } from './statement';

interface Entry {
  readonly table: string;
  readonly key: Buffer;
  readonly value: Buffer;
}

/** What a write does to the entries: it is carried out in {@link EntryRows}, and known by these words only. */
const changes = literally(`
  removed as (
    delete from entry using held, unnest($4::text[], $5::bytea[]) as gone (table_name, key)
    where entry.lease = held.name and entry.table_name = gone.table_name and entry.key = gone.key
  ), written as (
    insert into entry (lease, table_name, key, value)
    select held.name, put.* from held, unnest($6::text[], $7::bytea[], $8::bytea[]) as put (table_name, key, value)
    on conflict (lease, table_name, key) do update set value = excluded.value
  )`);

/** The table of entries: the state of each lease. */
export class EntryRows {
  readonly statements: readonly Known[] = [
    [
      new RegExp(
        `^with held as \\( update lease set (?<set>.+) where (?<where>.+) returning name, commits \\), ${changes} select commits from held$`,
      ),
      (call) => this.write(call),
    ],
    [
      /^select commits, table_name as "table", key, value from lease left join entry on entry\.lease = lease\.name where (?<where>.+)$/,
      (call) => this.load(call),
    ],
  ];
  private readonly entries = new Map<string, Map<string, Entry>>();

  constructor(private readonly leases: LeaseRows) {}

  private write(call: Call): Rows {
    const [held] = this.leases.change(call);
    if (!held) return [];
    const [goneTables, goneKeys, tables, keys, contents] = call.values.slice(3) as Changes;
    const entries = this.entriesOf(String(held['name']));
    goneTables.forEach((table, index) => entries.delete(idOf(table, goneKeys[index])));
    tables.forEach((table, index) => {
      const [key, value] = [Buffer.from(keys[index] ?? []), Buffer.from(contents[index] ?? [])];
      entries.set(idOf(table, key), { table, key, value });
    });
    return [{ commits: held['commits'] }];
  }

  private load(call: Call): Rows {
    const [row] = this.leases.found(call);
    if (!row) return [];
    const commits = row['commits'];
    const entries = [...this.entriesOf(String(row['name'])).values()];
    if (entries.length === 0) return [{ commits, table: null, key: null, value: null }];
    return entries.map(({ table, key, value }) => {
      return { commits, table, key: Buffer.from(key), value: Buffer.from(value) };
    });
  }

  private entriesOf(lease: string): Map<string, Entry> {
    let entries = this.entries.get(lease);
    if (!entries) this.entries.set(lease, (entries = new Map<string, Entry>()));
    return entries;
  }
}

type Changes = [goneTables: string[], goneKeys: Buffer[], tables: string[], keys: Buffer[], values: Buffer[]];

function idOf(table: string, key: Buffer | undefined): string {
  return `${table} ${key?.toString('latin1')}`;
}
