/** What the daemon says of one gateway, and of itself. */
export interface ToldHealth {
  readonly condition: string;
  readonly reachable: boolean;
  readonly ready: boolean;
}

/** What has kept orders from one gateway for longer than the daemon may take to notice. */
export interface GatewayObstacles {
  readonly unreachable: boolean;
  readonly halted: boolean;
}

/** The daemon does not report a gateway as reachable or ready while orders cannot be placed through it. */
export function toldWell(name: string, told: ToldHealth, { unreachable, halted }: GatewayObstacles): string[] {
  if (unreachable && told.reachable) return [`${name} is reported as reachable, and has not been for a while`];
  if (unreachable && told.condition === 'ok') return [`the daemon is reported as ok, and ${name} cannot be reached`];
  if (unreachable || halted ? told.ready : false) {
    return [`${name} is reported as ready while ${unreachable ? 'it cannot be reached' : 'trading is halted'}`];
  }
  return [];
}
