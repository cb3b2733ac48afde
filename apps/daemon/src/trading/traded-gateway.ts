import type { GatewaySession } from '../gateways/gateway-session';
import type { AccountSync } from './account-sync';

/** A gateway that a strategy trades through. */
export interface TradedGateway {
  readonly session: GatewaySession;
  readonly sync: AccountSync;
}

/** The configured gateways by name. */
export type TradedGateways = ReadonlyMap<string, TradedGateway>;

/** A gateway by its name. @throws Error if it is not configured */
export function gatewayOf<Gateway>(gateways: ReadonlyMap<string, Gateway>, name: string): Gateway {
  const gateway = gateways.get(name);
  if (!gateway) throw new Error(`gateway ${name} is not configured`);
  return gateway;
}
