import { PositionType } from '@libs/terminal-client';
import type { Side } from '@libs/strategy';
import { ExactTotal } from '../exact-sum';
import type { Tally, TradeColumns } from '../figures';

type Columns = { -readonly [Name in keyof TradeColumns]: TradeColumns[Name][number][] };

type KnownAtEnd = Pick<Tally, 'startMs' | 'endMs' | 'realized' | 'unrealized' | 'rejects'>;

/** What is counted of a position. */
interface TalliedPosition {
  readonly ticket: number;
  readonly type: number;
  readonly openedMs: number;
  /** Results of its deals, in units of the currency's last digit. */
  readonly realizedUnits: number;
  /** What its deals were charged, as the broker's history adds it up. */
  readonly costs: { readonly commission: number; readonly swap: number };
}

/** Counts what the figures of a run are made of as it happens, without an object for a deal or a trade. */
export class KernelTally {
  private readonly trades: Columns = { sides: [], openedMs: [], closedMs: [], realized: [] };
  /** Tickets of the trades. */
  private readonly tickets: number[] = [];
  private readonly commissions = new ExactTotal();
  private readonly swaps = new ExactTotal();
  private readonly spreads = new ExactTotal();

  /** @param units of the currency's last digit in one of it */
  constructor(private readonly units: number) {}

  /** Notes what half of the spread was worth in a fill. */
  noteSpread(amount: number): void {
    this.spreads.add(amount);
  }

  /** Notes a position that is closed. */
  close(position: TalliedPosition, closedMs: number): void {
    const { trades, tickets } = this;
    const at = this.placeOf(closedMs, position.ticket);
    insert(trades.sides, at, sideOf(position));
    insert(trades.openedMs, at, position.openedMs);
    insert(trades.closedMs, at, closedMs);
    insert(trades.realized, at, position.realizedUnits / this.units);
    insert(tickets, at, position.ticket);
    this.charge(position);
  }

  /** All of it, with the positions that are still open. */
  total({ startMs, endMs, realized, unrealized, rejects }: KnownAtEnd, open: readonly TalliedPosition[]): Tally {
    for (const position of open) this.charge(position);
    return {
      startMs,
      endMs,
      realized,
      unrealized,
      trades: this.trades,
      open: open.length,
      openSinceMs: open.map(({ openedMs }) => openedMs),
      commission: this.commissions.value,
      swap: this.swaps.value,
      spreads: this.spreads.value,
      rejects,
    };
  }

  private charge({ costs }: TalliedPosition): void {
    this.commissions.add(costs.commission);
    this.swaps.add(costs.swap);
  }

  /** Trades are ordered by time, then ticket. The time may go back: where a clock is set back, an hour of it comes twice. */
  private placeOf(closedMs: number, ticket: number): number {
    const { tickets, trades } = this;
    let at = tickets.length;
    for (; at > 0; at--) {
      const before = trades.closedMs[at - 1] ?? 0;
      if (before < closedMs || (before === closedMs && (tickets[at - 1] ?? 0) < ticket)) break;
    }
    return at;
  }
}

function sideOf({ type }: TalliedPosition): Side {
  return type === PositionType.BUY ? 'buy' : 'sell';
}

function insert<Value>(values: Value[], at: number, value: Value): void {
  if (at === values.length) values.push(value);
  else values.splice(at, 0, value);
}
