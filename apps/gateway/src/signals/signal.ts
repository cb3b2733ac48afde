/** What an alert can ask for. */
export const verbs = [
  'buy',
  'sell',
  'close',
  'close_long',
  'close_short',
  'reverse',
  'cancel',
  'protect',
  'target',
] as const;
export type Verb = (typeof verbs)[number];

export const sides = ['long', 'short', 'flat'] as const;
export type Side = (typeof sides)[number];

export const levelUnits = ['price', 'points', 'percent', 'atr'] as const;
export type LevelUnit = (typeof levelUnits)[number];

/** A stop-loss or take-profit: a price, or a distance from the price of the entry. */
export interface Level {
  readonly unit: LevelUnit;
  readonly amount: number;
}

export const sizeUnits = ['lots', 'risk', 'money'] as const;
export type SizeUnit = (typeof sizeUnits)[number];

/** Lots; or what is lost at the stop-loss: `risk` in percent of the equity, `money` in the deposit currency. */
export interface Size {
  readonly unit: SizeUnit;
  readonly amount: number;
}

/** An alert that was understood. */
export interface Signal {
  readonly verb: Verb;
  /** As the source names it. */
  readonly symbol: string;
  readonly id: string | null;
  /** When the source made it, UTC. */
  readonly timeMs: number | null;
  /** Its number in the order of the source. */
  readonly sequence: number | null;
  readonly size: Size | null;
  readonly sl: Level | null;
  readonly tp: Level | null;
  /** Price of a pending order. */
  readonly limit: number | null;
  readonly stop: number | null;
  /** For `target`: the position that the source has, in its units; negative is short. */
  readonly position: number | null;
  /** For `target`: the side of that position, if its size has no sign. */
  readonly side: Side | null;
  /** The side that the source had before. */
  readonly before: Side | null;
}

/** Whether it can open or enlarge a position. A `protect` can remove protection, but opens nothing. */
export function mayEnter({ verb, position, side }: Pick<Signal, 'verb' | 'position' | 'side'>): boolean {
  if (verb === 'target') return side !== 'flat' && position !== 0;
  return verb === 'buy' || verb === 'sell' || verb === 'reverse';
}
