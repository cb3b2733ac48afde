import { advice } from '@libs/command-line';
import type { DaemonFile, GatewaySpec } from '../daemon-file/daemon-file';
import type { PortfolioSpec, StrategySpec } from '../core/strategy-spec';

/** A strategy or portfolio of the configuration whose trades are examined. */
export interface LiveSubject {
  readonly name: string;
  readonly isPortfolio: boolean;
  /** In the account's currency. */
  readonly capital: number;
  /** The shared limits of the portfolio; none for a strategy, whose limits are its own. */
  readonly risk: PortfolioSpec['risk'];
  /** The strategy itself, or the children of the portfolio. */
  readonly strategies: readonly StrategySpec[];
  /** All gateways of the configuration. */
  readonly gateways: readonly GatewaySpec[];
}

/** The configuration has no strategy or portfolio of a name. */
export class UnknownSubjectError extends Error {}

/** The strategy or portfolio of a name. @throws UnknownSubjectError naming the nearest */
export function subjectOf({ strategies, portfolios, gateways }: DaemonFile, name: string): LiveSubject {
  const portfolio = portfolios.find((one) => one.name === name);
  const own = strategies.filter((spec) => (portfolio ? spec.portfolio === name : spec.name === name));
  const [first] = own;
  if (!first) {
    const names = [...portfolios, ...strategies].map((one) => one.name);
    throw new UnknownSubjectError(`the configuration has no strategy or portfolio ${name}${advice(name, names)}`);
  }
  return {
    name,
    isPortfolio: portfolio !== undefined,
    capital: portfolio?.capital ?? first.capital,
    risk: portfolio?.risk ?? { maxDailyLoss: null, maxDrawdownPct: null },
    strategies: own,
    gateways,
  };
}
