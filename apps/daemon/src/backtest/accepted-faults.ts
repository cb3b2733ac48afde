/** What a run accepted of a symbol's faulty prices. */
export interface AcceptedFaults {
  /** Ticks, or minutes of bars, with an ask below the bid; the ask was raised to the bid. */
  readonly crossed: number;
  /** Rows that cannot be replayed: inverted, duplicate, mistimed or malformed. */
  readonly skipped: number;
}

/** The faults of a symbol in words. */
export function faultsText(symbol: string, { crossed, skipped }: AcceptedFaults): string {
  const raised =
    crossed === 1 ? '1 ask below the bid was raised to it' : `${crossed} asks below the bid were raised to it`;
  const left = skipped === 1 ? '1 row was skipped' : `${skipped} rows were skipped`;
  return `${symbol}: ${[...(crossed > 0 ? [raised] : []), ...(skipped > 0 ? [left] : [])].join(', ')}`;
}
