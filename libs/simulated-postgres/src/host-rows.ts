import type { LeaseRows } from './lease-rows';
import { order, type Call, type Known, type Rows } from './statement';

const dayMs = 86_400_000;

interface Host {
  readonly id: string;
  readonly name: string;
  readonly labels: readonly string[];
  readonly lease_ms: number;
  capacity: number;
  seenMs: number;
  isDraining: boolean;
  report: string | null;
  publishedMs: number | null;
}

/** The table of hosts, and what is read of it together with the leases. */
export class HostRows {
  readonly statements: readonly Known[] = [
    [
      /^with seen as \( insert into host \(id, name, seen_at, capacity, lease_ms, labels\) values \(\$3, \$5, now\(\), \$6, \$4, \$7\) on conflict \(id\) do update set seen_at = excluded\.seen_at, capacity = excluded\.capacity \), forgotten as \( delete from host where seen_at < now\(\) - interval '1 day' and id <> \$3 \) update lease set (?<set>.+) from unnest\(.+?\) as held \(name, token\) where (?<where>.+) returning lease\.name$/,
      (call) => this.renew(call),
    ],
    ['delete from host where id = $1', (call) => this.leave(call)],
    [
      `select id, host.name, capacity, is_draining as "isDraining", labels,
         (extract(epoch from now() - seen_at) * 1000)::float8 as "ageMs",
         (select count(*) from lease where holder = host.id and expires_at > now())::int as leases
       from host where seen_at > now() - $1 * interval '1 millisecond' order by host.name, id`,
      (call) => this.seen(call),
    ],
    [
      `select id, name, capacity, labels, is_draining as "isDraining",
         (extract(epoch from now() - seen_at) * 1000)::float8 as "ageMs",
         seen_at > now() - $1::float8 * lease_ms * interval '1 millisecond' as "isRunning"
       from host order by name, seen_at desc`,
      (call) => this.all(call),
    ],
    [
      `select lease.name, token::float8 as token, case when expires_at > now() then holder end as holder,
         case when expires_at > now() then host.name end as host,
         case when expires_at > now() then extract(epoch from expires_at - now()) * 1000 else 0 end::float8 as "remainingMs"
       from lease left join host on host.id = lease.holder order by lease.name`,
      (call) => this.holders(call),
    ],
    [
      /^with asked as \( update host set is_draining = \$2 where name = \$1 and seen_at > now\(\) - \$3::float8 \* lease_ms \* interval '1 millisecond' returning id \) select id, pg_notify\('(?<channel>\w+)', id\) from asked$/,
      (call) => this.drain(call),
    ],
    ['update host set report = $2, published_at = now() where id = $1', (call) => this.publish(call)],
    [
      `select id, host.name, report, (extract(epoch from now() - published_at) * 1000)::float8 as "ageMs",
         array(select lease.name from lease where holder = host.id and expires_at > now() order by 1) as leases
       from host order by host.name, id`,
      (call) => this.reports(call),
    ],
  ];
  private readonly rows = new Map<string, Host>();

  constructor(
    private readonly leases: LeaseRows,
    private readonly notify: (channel: string, payload: string) => void,
  ) {}

  private renew(call: Call): Rows {
    const [, , id, leaseMs, name, capacity, labels] = call.values as Renewal;
    const first = { isDraining: false, report: null, publishedMs: null };
    const host = this.rows.get(id) ?? { id, name, labels: [...labels], lease_ms: leaseMs, ...first };
    const isOld = ({ seenMs }: Host): boolean => seenMs < call.nowMs - dayMs;
    for (const other of [...this.rows.values()].filter((one) => one.id !== id && isOld(one)))
      this.rows.delete(other.id);
    this.rows.set(id, Object.assign(host, { capacity, seenMs: call.nowMs }));
    return this.leases.changeHeld(call);
  }

  private leave({ values: [id] }: Call): Rows {
    this.rows.delete(String(id));
    return [];
  }

  private seen({ values: [withinMs], nowMs }: Call): Rows {
    return this.sorted()
      .filter(({ seenMs }) => seenMs > nowMs - Number(withinMs))
      .map((host) => ({ ...shown(host, nowMs), leases: this.leases.heldBy(host.id, nowMs).length }));
  }

  private all({ values: [leases], nowMs }: Call): Rows {
    return [...this.rows.values()]
      .sort((one, other) => order(one.name, other.name) || other.seenMs - one.seenMs)
      .map((host) => ({ ...shown(host, nowMs), isRunning: isRunning(host, Number(leases), nowMs) }));
  }

  private holders({ nowMs }: Call): Rows {
    return this.leases.all().map(({ name, token, holder, expires_at }) => {
      const remainingMs = Math.max(0, Number(expires_at) - nowMs);
      const host = remainingMs > 0 ? (this.rows.get(String(holder))?.name ?? null) : null;
      return { name, token: Number(token), holder: remainingMs > 0 ? holder : null, host, remainingMs };
    });
  }

  private drain({ values: [name, isDraining, leases], nowMs, parts }: Call): Rows {
    const asked = [...this.rows.values()].filter(
      (host) => host.name === name && isRunning(host, Number(leases), nowMs),
    );
    for (const host of asked) host.isDraining = isDraining === true;
    for (const { id } of asked) this.notify(parts['channel'] ?? '', id);
    return asked.map(({ id }) => ({ id, pg_notify: '' }));
  }

  private publish({ values: [id, report], nowMs }: Call): Rows {
    const host = this.rows.get(String(id));
    if (host) Object.assign(host, { report, publishedMs: nowMs });
    return [];
  }

  private reports({ nowMs }: Call): Rows {
    return this.sorted().map(({ id, name, report, publishedMs }) => {
      const ageMs = publishedMs === null ? null : nowMs - publishedMs;
      return { id, name, report, ageMs, leases: this.leases.heldBy(id, nowMs) };
    });
  }

  private sorted(): Host[] {
    return [...this.rows.values()].sort((one, other) => order(one.name, other.name) || order(one.id, other.id));
  }
}

type Renewal = [string[], string[], id: string, leaseMs: number, name: string, capacity: number, labels: string[]];

function shown({ id, name, capacity, isDraining, labels, seenMs }: Host, nowMs: number): object {
  return { id, name, capacity, isDraining, labels: [...labels], ageMs: nowMs - seenMs };
}

/** @param leases how many of its leases a host that is not seen is taken for running */
function isRunning(host: Host, leases: number, nowMs: number): boolean {
  return host.seenMs > nowMs - leases * host.lease_ms;
}
