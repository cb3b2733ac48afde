import { Injectable } from '@nestjs/common';
import { Counter } from 'prom-client';
import { MetricsRegistry } from '@libs/metrics';
import type { BarColumns, Tick } from '@libs/terminal-client';

/** Counts values that the terminal gave as prices and that are no prices: a zero, or a bid above the ask. */
@Injectable()
export class BadPrices {
  private readonly counter: Counter<'what'>;

  constructor(registry: MetricsRegistry) {
    this.counter = new Counter({
      name: 'terminal_bad_prices_total',
      help: 'Reads of the terminal that were refused: a quote with a price of 0 or its bid above its ask, or bars with a price of 0.',
      labelNames: ['what'] as const,
      registers: [registry],
    });
    for (const what of ['quote', 'bars']) this.counter.inc({ what }, 0);
  }

  /** What is wrong with a quote, which is counted; null for one that is sound. */
  ofQuote({ bid, ask }: Pick<Tick, 'bid' | 'ask'>): string | null {
    if (bid > 0 && ask >= bid) return null;
    this.counter.inc({ what: 'quote' });
    return bid > 0 && ask > 0 ? `the bid ${bid} is above the ask ${ask}` : `bid ${bid}, ask ${ask}`;
  }

  /** Whether a price of a bar is 0, which is counted. */
  inBars({ open, high, low, close }: Pick<BarColumns, 'open' | 'high' | 'low' | 'close'>): boolean {
    const isBad = [open, high, low, close].some(hasZero);
    if (isBad) this.counter.inc({ what: 'bars' });
    return isBad;
  }
}

function hasZero(column: BarColumns['open']): boolean {
  for (let row = 0; row < column.length; row++) if (column[row] === 0) return true;
  return false;
}
