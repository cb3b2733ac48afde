import { Decimal } from 'decimal.js';
import { signedVolume } from '@libs/account-evidence';
import type { positionSummaryFields, RecordOf } from '@libs/records';
import { DealType, type TradeDeal } from '@libs/terminal-client';

/** Summary of a position's deals; money in the deposit currency, volumes in lots. */
export type PositionSummary = Readonly<
  Omit<RecordOf<typeof positionSummaryFields>, 'ticket' | 'time_open_utc' | 'time_close_utc'>
>;

/** One side of a position: its opening or its closing deals. */
class Side {
  volume = new Decimal(0);
  private cost = new Decimal(0);

  add(volume: Decimal, price: number): void {
    this.volume = this.volume.plus(volume);
    this.cost = this.cost.plus(volume.times(price));
  }

  price(): number | null {
    return this.volume.isZero() ? null : this.cost.div(this.volume).toDecimalPlaces(10).toNumber();
  }
}

/**
 * Summarizes the deals of one position, at least one. A deal against the position closes as much as it can and opens
 * the other side with the rest, so the reversal of a netting account counts on both.
 */
export function summarizePosition(deals: readonly TradeDeal[]): PositionSummary {
  // Tickets rise with each execution, while the clock of the server is set back at the end of summer time.
  const ordered = [...deals].sort((a, b) => a.ticket - b.ticket);
  const trades = ordered.filter(({ type }) => type === DealType.BUY || type === DealType.SELL);
  const opened = new Side();
  const closed = new Side();
  let open = new Decimal(0);
  let last: TradeDeal | null = null;
  let lastExit: TradeDeal | null = null;
  for (const deal of trades) {
    const signed = signedVolume(deal);
    const against = open.isZero() || open.isPositive() === signed.isPositive() ? new Decimal(0) : closing(open, signed);
    closed.add(against, deal.price);
    if (!against.isZero()) lastExit = deal;
    opened.add(signed.abs().minus(against), deal.price);
    open = open.plus(signed);
    last = deal;
  }
  const isClosed = trades.length > 0 && open.isZero();
  const [first] = trades.length > 0 ? trades : ordered;
  return {
    symbol: first?.symbol ?? '',
    type: first?.type ?? 0,
    magic: first?.magic ?? 0,
    volume_opened: opened.volume.toNumber(),
    volume_closed: closed.volume.toNumber(),
    closed: isClosed,
    price_open: opened.price(),
    price_close: closed.price(),
    comment: (lastExit ?? first)?.comment ?? '',
    profit: sum(deals, 'profit'),
    commission: sum(deals, 'commission'),
    swap: sum(deals, 'swap'),
    fee: sum(deals, 'fee'),
    time_open: first?.time ?? 0,
    time_open_msc: first?.time_msc ?? 0,
    time_close: isClosed ? (last?.time ?? null) : null,
    time_close_msc: isClosed ? (last?.time_msc ?? null) : null,
    deals: deals.length,
  };
}

function closing(open: Decimal, signed: Decimal): Decimal {
  return Decimal.min(open.abs(), signed.abs());
}

function sum(deals: readonly TradeDeal[], field: 'profit' | 'commission' | 'swap' | 'fee'): number {
  return deals.reduce((total, deal) => total.plus(deal[field]), new Decimal(0)).toNumber();
}
