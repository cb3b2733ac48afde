/** What the daemon has of a portfolio at an instant. */
export interface PortfolioSeen {
  readonly name: string;
  /** For how long it has been halted, in milliseconds; null while it is not. */
  readonly haltedForMs: number | null;
  /** In percent of its peak; null while its equity is not known. */
  readonly drawdownPct: number | null;
  readonly maxDrawdownPct: number | null;
  readonly children: readonly { readonly name: string; readonly isHalted: boolean }[];
}

/** The daemon checks limits this often, and halts within this time. */
const watchedWithinMs = 5_000;

/** "The limit of a portfolio halts all its children." @param excusedMs how long the daemon may have stood still */
export function childRuns({ name, haltedForMs, children }: PortfolioSeen, excusedMs: number): string[] {
  if (haltedForMs === null || haltedForMs <= watchedWithinMs + excusedMs) return [];
  return children
    .filter(({ isHalted }) => !isHalted)
    .map((child) => `portfolio ${name} has been halted for ${haltedForMs} ms, and its child ${child.name} is not`);
}

/** "`maxDrawdownPct` halts until `resume`." @param overForMs for how long the drawdown has been over the limit */
export function limitPassed(
  { name, haltedForMs }: PortfolioSeen,
  overForMs: number | null,
  excusedMs: number,
): string[] {
  if (haltedForMs !== null || overForMs === null || overForMs <= watchedWithinMs + excusedMs) return [];
  return [`portfolio ${name} has been over its drawdown for ${overForMs} ms, and is not halted`];
}

/** Prices move between two samples, and a position is seen for the price of a moment before. */
const sampled = { part: 0.25, amount: 1 };

/**
 * A limit halts only for a loss that the brokers' books have. @param reason of the halt
 * @param most by which the equity of the books has fallen lately from its highest, in the deposit currency
 */
export function lossOfNoBook(name: string, reason: string, most: number, peak: number): string[] {
  const [, loss] = /daily loss of ([\d.]+) reached/.exec(reason) ?? [];
  const [, drawdownPct] = /drawdown of ([\d.]+) % reached/.exec(reason) ?? [];
  if (loss === undefined && drawdownPct === undefined) return [];
  const claimed = loss === undefined ? (Number(drawdownPct) / 100) * peak : Number(loss);
  if (claimed <= most * (1 + sampled.part) + sampled.amount) return [];
  return [
    `portfolio ${name} halts for a loss of ${claimed.toFixed(2)}; by the brokers' books it was ${most.toFixed(2)} at most`,
  ];
}

/** Whether a drawdown is over its limit. */
export function isOverLimit({ drawdownPct, maxDrawdownPct }: PortfolioSeen): boolean {
  return drawdownPct !== null && maxDrawdownPct !== null && drawdownPct >= maxDrawdownPct;
}

/** The result of a portfolio is its children's. @param byDeals what the brokers' deals of all its children come to */
export function resultDiffers(name: string, realized: number, byDeals: number): string[] {
  if (Math.abs(realized - byDeals) <= 1e-6) return [];
  return [`portfolio ${name} has realized ${realized}, and ${byDeals} by the brokers' deals`];
}
