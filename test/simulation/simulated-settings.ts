import { readGatewaySettings, type GatewaySettings } from '../../apps/gateway/src/gateway.config';
import { account } from './broker';
import { apiKey } from './gateway-process';
import type { GatewayMachine } from './machine';

/** Settings of a gateway on a simulated machine. */
export function simulatedSettings(
  { paths }: GatewayMachine,
  login: number,
  changes: Readonly<Record<string, string>>,
): GatewaySettings {
  return readGatewaySettings({
    API_KEY: apiKey,
    TERMINAL_DRIVER: 'bridge',
    TERMINAL_LOGIN: String(login),
    TERMINAL_PASSWORD: account.password,
    TERMINAL_SERVER: account.server,
    TERMINAL_SERVER_TIME_ZONE: 'Europe/Athens',
    ORDER_AUDIT_FILE: paths.audit,
    KILL_SWITCH_FILE: paths.killSwitch,
    STATE_DIR: paths.state,
    SHUTDOWN_DRAIN_SECONDS: '0',
    ...changes,
  });
}
