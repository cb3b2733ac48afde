import type { Clock } from '@libs/clock';
import type { SqlDatabase, Statement } from '@libs/postgres';
import { ConfigurationRows } from './configuration-rows';
import { EntryRows } from './entry-rows';
import { HostRows } from './host-rows';
import { LeaseRows } from './lease-rows';
import { known, oneLine, partsOf, type Known } from './statement';

/**
 * The statements of the product on a server in memory, with a clock of its own. It knows each statement by its text or its
 * form, and evaluates the conditions and assignments of the leases as they stand in the text. Each statement is a
 * transaction, and is carried out at once. What it has outlives every client.
 */
export class SimulatedPostgres {
  /** How far the server's clock is off, in milliseconds. */
  offMs = 0;
  private readonly listeners = new Set<{ readonly channel: string; readonly notify: (payload: string) => void }>();
  private readonly statements: readonly Known[];

  constructor(private readonly clock: Pick<Clock, 'nowMs'>) {
    const notify = (channel: string, payload: string): void => this.notify(channel, payload);
    const configurations = new ConfigurationRows(notify);
    const leases = new LeaseRows(notify, () => configurations.newest);
    const tables = [leases, new HostRows(leases, notify), new EntryRows(leases), configurations];
    // Whether the server answers.
    const answers: Known = ['select 1', () => [{ '?column?': 1 }]];
    this.statements = [...tables.flatMap(({ statements }) => statements), answers].map(known);
  }

  /** Carries out one statement. @throws Error for one that it does not know */
  execute<Found>({ text, values = [] }: Statement): Found[] {
    const line = oneLine(text);
    for (const [form, run] of this.statements) {
      const parts = partsOf(form, line);
      if (parts) return [...run({ parts, values, nowMs: this.clock.nowMs() + this.offMs })] as Found[];
    }
    throw new Error(`the simulated PostgreSQL does not know the statement: ${line}`);
  }

  /** @param notify called in the statement that notifies @returns ends it */
  listen(channel: string, notify: (payload: string) => void): () => void {
    const listener = { channel, notify };
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  /** A connection that never fails. */
  connect(): SqlDatabase {
    return {
      query: (statement) => Promise.resolve().then(() => this.execute(statement)),
      listen: (channel, notify) => Promise.resolve(this.listen(channel, notify)),
      close: () => Promise.resolve(),
    };
  }

  private notify(channel: string, payload: string): void {
    const told = [...this.listeners].filter((listener) => listener.channel === channel);
    for (const { notify } of told) notify(payload);
  }
}
