import { type Clock } from '@libs/clock';
import { type HostLog } from './host-events';
import { type Lifetime } from './lifetime';
import { secureGet } from './secure-fetch';

export interface ResolverOptions {
  /** TERMINAL_SERVER: the broker's server name. */
  readonly server: string;
  /** TERMINAL_SERVER_ADDR: an explicit host:port, which is then the only candidate. */
  readonly address: string | undefined;
  /** TERMINAL_AUTORESOLVE: false uses only the name. */
  readonly autoResolve: boolean;
  /** TERMINAL_RESOLVER_URL, in order. */
  readonly urls: readonly string[];
}

/**
 * Server names whose addresses are public documentation. Short on purpose: brokers move their access points, and an
 * address that is out of date costs a login attempt. Others come from TERMINAL_SERVER_ADDR or a resolver.
 */
const brokerTable: Readonly<Record<string, readonly string[]>> = {
  // MetaQuotes' own demo, as in its server documentation.
  'MetaQuotes-Demo': ['access.metatrader5.com:443'],
};

const deadlineMs = 15_000;
const maxAnswerBytes = 4 * 1024 * 1024;
/** Every unreachable candidate takes a minute or more, and some lists have dozens. */
const maxAddresses = 6;

/** The server candidates for the startup file, in the order in which they are tried. */
export class Resolver {
  constructor(
    private readonly options: ResolverOptions,
    private readonly clock: Clock,
    private readonly log: HostLog,
    private readonly lifetime: Lifetime,
  ) {}

  /** Distinct candidates in the order to try them; never empty, because the name itself is the last. */
  async candidates(): Promise<string[]> {
    const candidates = await this.find();
    this.log.event('login candidates', { server: this.options.server, candidates: candidates.join(', ') });
    return candidates;
  }

  private async find(): Promise<string[]> {
    const { server, address, autoResolve } = this.options;
    if (address !== undefined) return [address];
    const found = autoResolve ? [...inTable(server), ...(await this.askAll())] : [];
    const addresses = [...new Set(found.flatMap((text) => serverAddress(text) ?? []))];
    return [...addresses.slice(0, maxAddresses), server];
  }

  private async askAll(): Promise<string[]> {
    const found: string[] = [];
    for (const url of this.options.urls) {
      if (this.lifetime.isOver) break;
      found.push(...(await this.ask(url)));
    }
    return found;
  }

  /** A failing resolver is skipped and does not fail the login. */
  private async ask(base: string): Promise<string[]> {
    const company = this.options.server.split('-', 1)[0] ?? '';
    const url = `${base.replace(/\/+$/, '')}/Search?company=${encodeURIComponent(company)}`;
    try {
      const deadlines = { totalMs: deadlineMs, idleMs: deadlineMs };
      const text = await secureGet(this.clock, url, deadlines, this.lifetime.signal, ({ chunks }) => readText(chunks));
      const addresses = addressesOf(JSON.parse(text), this.options.server);
      this.log.event('resolver answered', { resolver: base, addresses: addresses.length });
      return addresses;
    } catch (error) {
      this.log.event('resolver failed', { resolver: base, reason: (error as Error).message });
      return [];
    }
  }
}

/** `host:port`, which the terminal accepts instead of a server name; undefined for anything else. */
export function serverAddress(text: string): string | undefined {
  const match = /^([a-z0-9](?:[a-z0-9.-]*[a-z0-9])?):(\d{1,5})$/i.exec(text.trim());
  const [, host, port] = match ?? [];
  if (host === undefined || port === undefined) return undefined;
  return Number(port) >= 1 && Number(port) <= 65_535 ? `${host.toLowerCase()}:${Number(port)}` : undefined;
}

function inTable(server: string): readonly string[] {
  const name = Object.keys(brokerTable).find((key) => sameName(key, server));
  return name === undefined ? [] : (brokerTable[name] ?? []);
}

/**
 * Reads `[{results: [{name, access: ["host:port"]}]}]`, or one such row alone; rows of another shape are skipped.
 */
function addressesOf(answer: unknown, server: string): string[] {
  const rows: unknown[] = Array.isArray(answer) ? answer : [answer];
  const results = rows.flatMap((row) => listAt(row, 'results'));
  const matching = results.filter((result) => {
    const name = fieldOf(result, 'name');
    return typeof name === 'string' && sameName(name, server);
  });
  return matching.flatMap((result) => listAt(result, 'access')).filter((address) => typeof address === 'string');
}

function fieldOf(record: unknown, name: string): unknown {
  return typeof record === 'object' && record !== null ? Reflect.get(record, name) : undefined;
}

function listAt(record: unknown, name: string): unknown[] {
  const value = fieldOf(record, name);
  return Array.isArray(value) ? value : [];
}

function sameName(one: string, other: string): boolean {
  return one.trim().toLowerCase() === other.trim().toLowerCase();
}

async function readText(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > maxAnswerBytes) throw new Error('the answer is too long');
    parts.push(chunk);
  }
  return Buffer.concat(parts).toString('utf8');
}
