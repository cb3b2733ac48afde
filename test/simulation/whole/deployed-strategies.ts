import type { PortfolioSpec, RiskSpec, StrategySpec } from '../../../apps/daemon/src/core/strategy-spec';
import type { WholePlan } from './whole-steps';

/** What is traded for, by whom. */
export interface Deployed {
  readonly strategies: readonly StrategySpec[];
  readonly portfolios: readonly PortfolioSpec[];
}

type Scope = Pick<WholePlan, 'gateways' | 'marginModes' | 'portfolio' | 'changesOrders' | 'trails'>;

const portfolioName = 'book';
const capital = 10_000;
const orderLimits: RiskSpec = { maxVolume: 0.05, maxOpenPositions: 8, maxDailyLoss: null, maxDrawdownPct: null };

/**
 * The strategies of a plan and their portfolio. On a netting account each symbol has one strategy, and none makes stacks.
 * @param untilMs market time after which no strategy enters anything
 */
export function deployedBy(
  { gateways, marginModes = [], portfolio, changesOrders = false, trails = false }: Scope,
  untilMs: number,
): Deployed {
  const isNetting = (gateway: number): boolean => marginModes[gateway] === 'netting';
  const all = Array.from({ length: gateways }, (_, number) => number);
  const spec = (kind: string, magic: number, symbols: readonly (string | null)[], isChild = false): StrategySpec => ({
    name: isChild ? `${portfolioName}/${kind}` : kind,
    ...{ magic, capital: isChild ? capital / 2 : capital, onMismatch: 'halt', workerGroup: null },
    portfolio: isChild ? portfolioName : null,
    module: `/strategies/${kind}.ts`,
    params: { untilMs, salt: magic, changesOrders, trails },
    risk: orderLimits,
    streams: symbols.flatMap((symbol, gateway) =>
      symbol === null ? [] : [{ alias: `s${gateway}`, broker: `gw${gateway}`, symbol, timeframe: 'M1' }],
    ),
  });
  const pendingOn = (gateway: number): string => (gateway === 0 || isNetting(gateway) ? 'USDJPY' : 'EURUSD');
  const firstHedging = all.find((gateway) => !isNetting(gateway));
  const children = [
    spec(
      'entries',
      101,
      all.map(() => 'EURUSD'),
      portfolio !== undefined,
    ),
    spec('pending', 102, all.map(pendingOn), portfolio !== undefined),
  ];
  const stacks = spec(
    'stack',
    103,
    all.map((gateway) => (gateway === firstHedging ? 'EURUSD' : null)),
  );
  return {
    strategies: [...children, ...(firstHedging === undefined ? [] : [stacks])],
    portfolios: portfolio
      ? [{ name: portfolioName, capital, risk: portfolio, children: children.map(({ name }) => name) }]
      : [],
  };
}
