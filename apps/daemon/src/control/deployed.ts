import type { SharedUnits } from '../leases/shared-units';
import type { Portfolio } from '../portfolios/portfolio';
import type { Configuration } from '../runtime/configuration';
import type { GatewayServices } from '../strategies/services';
import type { StrategyRunner } from '../strategies/strategy-runner';

/** Everything that is deployed, as the control port shows it: the current state in memory. */
export interface Deployed {
  readonly gateways: readonly GatewayServices[];
  readonly strategies: readonly StrategyRunner[];
  readonly portfolios: readonly Portfolio[];
  readonly configuration: Pick<Configuration, 'loadedMs' | 'lastReload' | 'version' | 'hasRefused'>;
  /** Leases of this host; absent and null without a database. */
  readonly units?: Pick<
    SharedUnits,
    'host' | 'problem' | 'counts' | 'leases' | 'isDraining' | 'labels' | 'stuck' | 'unplaced' | 'keptExits'
  > | null;
  /** Milliseconds since the daemon started. */
  readonly uptimeMs: number;
}
