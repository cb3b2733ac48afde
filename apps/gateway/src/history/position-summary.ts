import { Decimal } from 'decimal.js';
import { signedVolume } from '@libs/account-evidence';
import type { positionSummaryFields, RecordOf } from '@libs/records';
import type { TradeDeal } from '@libs/terminal-client';

/**
 * Summary of one leg of a position: what was opened on one side, until it was closed or reversed. Money in the deposit currency, volumes
 * in lots. `ticket` is that of the order that opened it, which the position had as its ticket.
 */
export type PositionSummary = Readonly<
  Omit<RecordOf<typeof positionSummaryFields>, 'time_open_utc' | 'time_close_utc'>
>;

/** One side of a leg: its opening or its closing deals. */
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

class Leg {
  /** Signed lots that are open now. */
  open = new Decimal(0);
  private readonly opened = new Side();
  private readonly closed = new Side();
  private readonly money = {
    profit: new Decimal(0),
    commission: new Decimal(0),
    swap: new Decimal(0),
    fee: new Decimal(0),
  };
  private readonly deals = new Set<TradeDeal>();
  private opening: TradeDeal | null = null;
  private lastExit: TradeDeal | null = null;

  constructor(private readonly first: TradeDeal) {}

  get hasTraded(): boolean {
    return this.opening !== null;
  }

  enter(deal: TradeDeal, volume: Decimal): void {
    this.opening ??= deal;
    this.opened.add(volume, deal.price);
    this.open = this.open.plus(signedVolume(deal).isNegative() ? volume.negated() : volume);
  }

  exit(deal: TradeDeal, volume: Decimal): void {
    this.lastExit = deal;
    this.closed.add(volume, deal.price);
    this.open = this.open.plus(signedVolume(deal).isNegative() ? volume.negated() : volume);
  }

  book(deal: TradeDeal, parts: Readonly<Partial<Record<keyof Leg['money'], Decimal>>>): void {
    this.deals.add(deal);
    for (const name of ['profit', 'commission', 'swap', 'fee'] as const)
      this.money[name] = this.money[name].plus(parts[name] ?? 0);
  }

  summary(): PositionSummary {
    const first = this.opening ?? this.first;
    const end = this.opening !== null && this.open.isZero() ? this.lastExit : null;
    return {
      ticket: first.order,
      symbol: first.symbol,
      type: first.type,
      magic: first.magic,
      volume_opened: this.opened.volume.toNumber(),
      volume_closed: this.closed.volume.toNumber(),
      closed: end !== null,
      price_open: this.opened.price(),
      price_close: this.closed.price(),
      comment: (this.lastExit ?? first).comment,
      profit: this.money.profit.toNumber(),
      commission: this.money.commission.toNumber(),
      swap: this.money.swap.toNumber(),
      fee: this.money.fee.toNumber(),
      time_open: first.time,
      time_open_msc: first.time_msc,
      time_close: end?.time ?? null,
      time_close_msc: end?.time_msc ?? null,
      deals: this.deals.size,
    };
  }
}

/**
 * Summarizes the deals of one position, at least one: its legs, oldest first. A deal against the position closes as much as it can and
 * opens the next leg with the rest, as a netting account does when it reverses. Its result and swap belong to the leg that it closes,
 * its commission and fee to both, by volume.
 */
export function summarizeLegs(deals: readonly TradeDeal[]): PositionSummary[] {
  const legs: Leg[] = [];
  // Tickets rise with each execution, while the clock of the server is set back at the end of summer time.
  const ordered = [...deals].sort((a, b) => a.ticket - b.ticket);
  for (const deal of ordered) {
    const money = moneyOf(deal);
    const leg = legs.at(-1);
    if (signedVolume(deal).isZero()) {
      (leg ?? added(legs, deal)).book(deal, money);
      continue;
    }
    const signed = signedVolume(deal);
    const volume = signed.abs();
    const isAgainst = leg !== undefined && !leg.open.isZero() && leg.open.isPositive() !== signed.isPositive();
    const against = isAgainst ? Decimal.min(leg.open.abs(), volume) : new Decimal(0);
    const rest = volume.minus(against);
    const share = (amount: Decimal): Decimal => amount.times(against).div(volume).toDecimalPlaces(8);
    const exit = { ...money, commission: share(money.commission), fee: share(money.fee) };
    if (isAgainst) {
      leg.exit(deal, against);
      leg.book(deal, exit);
    }
    if (rest.isZero()) continue;
    const next = leg !== undefined && !leg.open.isZero() ? leg : nextLeg(legs, deal);
    next.enter(deal, rest);
    next.book(
      deal,
      isAgainst ? { commission: money.commission.minus(exit.commission), fee: money.fee.minus(exit.fee) } : money,
    );
  }
  return legs.map((leg) => leg.summary());
}

function added(legs: Leg[], first: TradeDeal): Leg {
  const leg = new Leg(first);
  legs.push(leg);
  return leg;
}

/** The leg that a deal opens: a new one, but for the one that so far has only money. */
function nextLeg(legs: Leg[], deal: TradeDeal): Leg {
  const last = legs.at(-1);
  return last !== undefined && !last.hasTraded ? last : added(legs, deal);
}

function moneyOf({ profit, commission, swap, fee }: TradeDeal) {
  return {
    profit: new Decimal(profit),
    commission: new Decimal(commission),
    swap: new Decimal(swap),
    fee: new Decimal(fee),
  };
}
