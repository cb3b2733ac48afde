import { join } from 'node:path';
import type { GatewaySettings } from '../gateway.config';

/**
 * The settings with a place for the account of the simulated broker beside the trade journal: a journal that outlives the account
 * would know orders that the broker does not, and the broker would give their tickets again. A replay begins anew, as its market does.
 */
export function withSimulatedState(settings: GatewaySettings): GatewaySettings {
  const { TERMINAL_DRIVER, SIM_STATE_FILE, SIM_FEED, SIM_LOGIN, STATE_DIR } = settings;
  const isKept = TERMINAL_DRIVER === 'simulator' && SIM_FEED.kind === 'generated';
  if (SIM_STATE_FILE !== undefined || !isKept) return settings;
  return { ...settings, SIM_STATE_FILE: join(STATE_DIR, `simulator-${SIM_LOGIN}`) };
}
