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

/** What is configured outside of the daemon: its file, and the keys of its gateways. */
export interface Configured {
  /** Reads the configuration file as it is now. @throws DaemonFileError */
  readFile(): DaemonFile;
  /** Reads the key that a gateway's `apiKeyEnv` names. @throws Error that names the variable, never the value */
  apiKey(variable: string): string;
  /** Version of a configuration that is in a database. */
  readonly version?: number;
  /** Has {@link readFile} read the newest version. @throws Error of the database */
  refresh?(): Promise<void>;
  /** Whether there is a later version than the one that runs. @throws Error of the database */
  isOutdated?(running: number | null): Promise<boolean>;
}

/** @returns why the newest version could not be read; null if it was, or if the configuration is a file */
export async function refreshed(configured: Configured): Promise<string | null> {
  try {
    await configured.refresh?.();
    return null;
  } catch (error) {
    return `the database of the fleet cannot be read: ${error instanceof Error ? error.message : String(error)}`;
  }
}
