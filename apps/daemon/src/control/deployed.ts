import type { Portfolio } from '../portfolios/portfolio';
import type { Configuration } from '../runtime/configuration';
import type { GatewayServices } from '../strategies/services';
import type { StrategyRunner } from '../strategies/strategy-runner';

/** What the control port shows: everything that is deployed, as it is in memory at the moment. */
export interface Deployed {
  readonly gateways: readonly GatewayServices[];
  readonly strategies: readonly StrategyRunner[];
  readonly portfolios: readonly Portfolio[];
  readonly configuration: Pick<Configuration, 'loadedMs' | 'lastReload'>;
  /** Milliseconds since the daemon started. */
  readonly uptimeMs: number;
}
