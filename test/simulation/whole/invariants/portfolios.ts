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

/** Whether a drawdown is over its limit. */
export function isOverLimit({ drawdownPct, maxDrawdownPct }: PortfolioSeen): boolean {
  return drawdownPct !== null && maxDrawdownPct !== null && drawdownPct >= maxDrawdownPct;
}

/** The result of a portfolio is its children's. @param byDeals what the brokers' deals of all its children come to */
export function resultDiffers(name: string, realized: number, byDeals: number): string[] {
  if (Math.abs(realized - byDeals) <= 1e-6) return [];
  return [`portfolio ${name} has realized ${realized}, and ${byDeals} by the brokers' deals`];
}
