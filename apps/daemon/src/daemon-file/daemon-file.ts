import type { PortfolioSpec, StrategySpec } from '../core/strategy-spec';

/** The daemon's configuration file, checked and with its defaults filled in. */
export interface DaemonFile {
  readonly gateways: readonly GatewaySpec[];
  readonly strategies: readonly StrategySpec[];
  readonly portfolios: readonly PortfolioSpec[];
}

export interface GatewaySpec {
  readonly name: string;
  readonly url: string;
  /** Name of the environment variable that holds the gateway's key. */
  readonly apiKeyEnv: string;
  /** Maximum clock skew of its prices, in milliseconds, before entries are denied; null: no maximum. */
  readonly maxClockSkewMs: number | null;
  /** What the account behind the gateway has to be. */
  readonly expect: { readonly login: number | null; readonly tradeMode: TradeMode | null };
}

export const tradeModes = ['demo', 'contest', 'real'] as const;
export type TradeMode = (typeof tradeModes)[number];
