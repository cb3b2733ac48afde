import type { Portfolio } from '../../../apps/daemon/src/portfolios/portfolio';
import type { VirtualTime } from '../virtual-time';
import { accountHoldings } from './books';
import type { GatewaySite } from './gateway-site';
import { lossOfNoBook } from './invariants/portfolios';

/** How long ago the prices and the books may be that a halt of now is about. */
const latelyMs = 120_000;

/** Holds the halts of portfolios against the equity that the brokers' books have, over all runs of the daemons. */
export class LimitWatch {
  private highest = -Infinity;
  private lately: { readonly atMs: number; readonly equity: number }[] = [];
  /** Of the halt at the last look; undefined before the first: what was before it was not seen. */
  private halted: string | null | undefined;

  constructor(
    private readonly time: VirtualTime,
    private readonly sites: readonly GatewaySite[],
  ) {}

  /** @returns what is wrong */
  look({ spec: { name, capital }, record, children }: Portfolio): string[] {
    const { elapsedMs: atMs } = this.time;
    const equity = capital + children.reduce((sum, { spec }) => sum + this.resultOf(spec.magic), 0);
    this.highest = Math.max(this.highest, capital, equity);
    this.lately = [...this.lately.filter((sample) => atMs - sample.atMs <= latelyMs), { atMs, equity }];
    const reason = record.halt?.reason ?? null;
    const isNew = reason !== null && this.halted !== undefined && reason !== this.halted;
    this.halted = reason;
    const lowest = Math.min(...this.lately.map((sample) => sample.equity));
    return isNew ? lossOfNoBook(name, reason, this.highest - lowest, this.highest) : [];
  }

  private resultOf(magic: number): number {
    return this.sites.reduce(
      (sum, { broker }) => sum + accountHoldings(broker.book, magic).realized + broker.floatingOf(magic),
      0,
    );
  }
}
