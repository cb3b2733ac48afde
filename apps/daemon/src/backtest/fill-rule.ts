import type { LimitFill } from '@libs/simulator';

/** How orders filled between the recorded prices. */
export interface FillRule {
  /** Inside a bar the price takes every value of its path. */
  readonly insideBars: "at the order's price";
  readonly betweenBars: 'at the first quote';
  /** What a limit order or a target needs inside a bar: a price one point beyond its own, or its own. */
  readonly limits: LimitFill;
}

/** The fill rule of a run; null if all prices were ticks, because nothing fills between two ticks. */
export function fillRuleOf(limitFill: LimitFill | null): FillRule | null {
  return limitFill && { insideBars: "at the order's price", betweenBars: 'at the first quote', limits: limitFill };
}

/** The rule in a sentence; null where there is none. */
export function fillRuleText(rule: FillRule | null): string | null {
  if (rule === null) return null;
  const needed = rule.limits === 'through' ? 'a price one point beyond it' : 'its price to be touched';
  return `inside bars: ${rule.insideBars}, after a gap ${rule.betweenBars}; a limit or a take-profit needs ${needed}`;
}
