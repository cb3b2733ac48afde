import { countText } from '@libs/gateway-client/figure-text';

/** What a run accepted of a symbol's faulty prices. */
export interface AcceptedFaults {
  /** Ticks, or minutes of bars, with an ask below the bid; the ask was raised to the bid. */
  readonly crossed: number;
  /** Rows that cannot be replayed: inverted, duplicate, mistimed or malformed. */
  readonly skipped: number;
  /** Rows on a weekend, at which orders were filled although the market of the symbol is closed. */
  readonly weekend: number;
}

export const noFaults: AcceptedFaults = { crossed: 0, skipped: 0, weekend: 0 };

/** The faults of a symbol in words. */
export function faultsText(symbol: string, { crossed, skipped, weekend }: AcceptedFaults): string {
  const raised = countText(crossed, 'ask below the bid was raised to it', 'asks below the bid were raised to it');
  const left = countText(skipped, 'row was skipped', 'rows were skipped');
  const rows = countText(weekend, 'row is', 'rows are');
  const traded = `${rows} on a weekend, when this market is closed: orders were filled there, SIM_HOURS=market refuses them`;
  const parts = [...(crossed > 0 ? [raised] : []), ...(skipped > 0 ? [left] : []), ...(weekend > 0 ? [traded] : [])];
  return `${symbol}: ${parts.join(', ')}`;
}
