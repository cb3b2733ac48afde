import { Decimal } from 'decimal.js';
import type { LimitFill, QuoteBlock, QuoteSource } from '../../quotes/quote-source';

/** Recorded bids with asks a fixed distance above them, in place of the recorded asks. */
export class FixedSpread implements QuoteSource {
  readonly limitFill?: LimitFill;
  private readonly step: number;

  /**
   * @param points between bid and ask
   * @param digits of the symbol's prices
   */
  constructor(
    private readonly source: QuoteSource,
    points: number,
    private readonly digits: number,
  ) {
    if (source.limitFill !== undefined) this.limitFill = source.limitFill;
    this.step = new Decimal(points).div(10 ** digits).toNumber();
  }

  read(minute: number, into: QuoteBlock): void {
    this.source.read(minute, into);
    for (let at = 0; at < into.count; at++) {
      into.asks[at] = Number(((into.bids[at] ?? 0) + this.step).toFixed(this.digits));
    }
  }

  nextMinute(minute: number): number | null {
    return this.source.nextMinute(minute);
  }

  previousMinute(minute: number): number | null {
    return this.source.previousMinute(minute);
  }
}
