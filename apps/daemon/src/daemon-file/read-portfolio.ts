import { ListOf, Mapping, Optional, PositiveNumber } from '@libs/validation';
import { ArrayNotEmpty } from 'class-validator';
import type { PortfolioSpec, StrategySpec } from '../core/strategy-spec';
import { ChildEntry, childOf, type Surroundings } from './read-strategy';
import { HostLabels, Name } from './rules';

export interface PortfolioWithChildren {
  readonly portfolio: PortfolioSpec;
  readonly children: readonly StrategySpec[];
}

class PortfolioRiskEntry {
  @Optional() @PositiveNumber() maxDailyLoss: number | null = null;
  @Optional() @PositiveNumber(100) maxDrawdownPct: number | null = null;
}

/** A portfolio, as the file has it: several strategies that share a capital by weight, and its limits. */
export class PortfolioEntry {
  @Name() name = '';
  @PositiveNumber() capital = 0;
  @Optional() @Mapping(PortfolioRiskEntry) risk = new PortfolioRiskEntry();
  @Optional() @HostLabels() runsOn: string[] = [];
  @ArrayNotEmpty({ message: 'must have at least one child' })
  @ListOf(ChildEntry)
  @Optional()
  children: ChildEntry[] = [];
}

export function portfolioOf(entry: PortfolioEntry, path: string, around: Surroundings): PortfolioWithChildren {
  const { name, capital, risk } = entry;
  const weights = entry.children.reduce((sum, { weight }) => sum + weight, 0);
  if (weights > 1 + 1e-9) {
    around.problems.push(`${path}.children have weights of ${weights} in total; the sum must be at most 1`);
  }
  const children = entry.children.map((child, index) => childOf(child, `${path}.children[${index}]`, around, entry));
  const names = children.map((child) => child.name);
  return { portfolio: { name, capital, risk: { ...risk }, children: names }, children };
}
