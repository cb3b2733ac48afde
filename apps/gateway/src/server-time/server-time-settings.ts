import type { GatewaySettings } from '../gateway.config';
import type { ServerTimeOptions } from './server-time-options';
import { parseServerZone } from './zone-setting';

/** Server time's part of the settings. @throws RangeError for a zone that is unknown to the platform */
export function serverTimeOptions(settings: GatewaySettings): ServerTimeOptions {
  const zone = settings.TERMINAL_SERVER_TIME_ZONE;
  return {
    zone: zone === undefined ? null : parseServerZone(zone),
    fixedOffsetSeconds: settings.TERMINAL_SERVER_UTC_OFFSET_SECONDS ?? null,
    referenceSymbol: settings.TERMINAL_TIME_REFERENCE_SYMBOL ?? null,
    deriveAttempts: settings.TERMINAL_TIME_DERIVE_ATTEMPTS,
    deriveDelayMs: settings.TERMINAL_TIME_DERIVE_DELAY * 1_000,
    refreshMs: settings.TERMINAL_TIME_REFRESH_SECONDS * 1_000,
    confirmations: settings.TERMINAL_TIME_OFFSET_CONFIRMATIONS,
    maxOffsetAgeMs: settings.TERMINAL_TIME_MAX_OFFSET_AGE_SECONDS * 1_000,
    orderDeriveAttempts: settings.TERMINAL_TIME_ORDER_DERIVE_ATTEMPTS,
    orderDeriveDelayMs: settings.TERMINAL_TIME_ORDER_DERIVE_DELAY * 1_000,
  };
}
