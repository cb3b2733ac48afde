/** A host takes no unit that the newest version of the configuration does not have. @param units of that version */
export function takenThoughRemoved(unit: string, version: number, units: ReadonlySet<string>): string[] {
  return units.has(unit) ? [] : [`the lease of ${unit} is taken, and version ${version} of the configuration lacks it`];
}

/** What a host runs has taken a version over as a whole. @param strategies of that version */
export function enteredThoughRemoved(
  key: string,
  strategy: string,
  version: number,
  strategies: ReadonlySet<string>,
): string[] {
  if (strategies.has(strategy)) return [];
  return [`the entry ${key} of ${strategy} is sent by a host that runs version ${version}, which lacks it`];
}

/** A request names a token that was issued to the host that sends it. @param tokens of its unit, on that host */
export function foreignToken(key: string, name: string, token: number, tokens: ReadonlySet<number>): string[] {
  return tokens.has(token) ? [] : [`the request ${key} names token ${token} of ${name}, which its host never had`];
}

/** The lease of a unit permits entries on one host at a time. @param hosts on which it does */
export function permittedTwice(unit: string, hosts: readonly string[]): string[] {
  return hosts.length < 2 ? [] : [`entries of ${unit} are permitted on ${hosts.join(' and ')}`];
}

/** A host as the database has it. */
export interface PlacedHost {
  readonly name: string;
  readonly isDraining: boolean;
  /** Units whose leases it holds. */
  readonly units: readonly string[];
}

/** A draining host has nothing once another one can take its units. @param hosts that run */
export function heldThoughDraining(hosts: readonly PlacedHost[]): string[] {
  if (hosts.every(({ isDraining }) => isDraining)) return [];
  return hosts
    .filter(({ isDraining, units }) => isDraining && units.length > 0)
    .map(({ name, units }) => `${name} is draining and has ${units.join(', ')}`);
}
