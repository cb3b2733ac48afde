import type { PortfolioSpec, StrategySpec } from '../core/strategy-spec';
import { FieldReader } from './field-reader';
import { readRunsOn } from './host-labels';
import { checkName, readChild, type Surroundings } from './read-strategy';

export interface PortfolioWithChildren {
  readonly name: string;
  readonly portfolio: PortfolioSpec;
  readonly children: readonly StrategySpec[];
}

/** A portfolio: several strategies that share a capital by weight, and its limits. */
export function readPortfolio(value: unknown, path: string, around: Surroundings): PortfolioWithChildren {
  const reader = new FieldReader(value, path, ['name', 'capital', 'risk', 'runsOn', 'children'], around.problems);
  const name = reader.text('name');
  checkName(name, reader, 'name');
  const capital = reader.number('capital', 0);
  const risk = new FieldReader(
    reader.mapping('risk'),
    `${path}.risk`,
    ['maxDailyLoss', 'maxDrawdownPct'],
    around.problems,
  );
  const runsOn = readRunsOn(reader);
  const children = reader
    .list('children')
    .map((child, index) => readChild(child, `${path}.children[${index}]`, around, { name, capital, runsOn }));
  if (children.length === 0) reader.problem('children', 'must have at least one child');
  const weights = children.reduce((sum, { weight }) => sum + weight, 0);
  if (weights > 1 + 1e-9) reader.problem('children', `have weights of ${weights} in total; the sum must be at most 1`);
  const portfolio = {
    name,
    capital,
    risk: {
      maxDailyLoss: risk.optionalNumber('maxDailyLoss', 0),
      maxDrawdownPct: risk.optionalNumber('maxDrawdownPct', 0, 100),
    },
    children: children.map((child) => child.name),
  };
  return { name, portfolio, children: children.map(({ weight: _weight, ...child }) => child) };
}
