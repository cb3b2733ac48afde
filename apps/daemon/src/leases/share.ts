/**
 * How many units a host runs: units are spread evenly over the hosts, and a host that is full leaves the rest to the
 * others. The shares of all hosts cover all units if their capacities do.
 * @param units of the whole fleet
 * @param capacities of all hosts, this one included
 * @param own capacity of this host
 */
export function shareOf(units: number, capacities: readonly number[], own: number): number {
  let left = units;
  let hosts = capacities.length;
  for (const capacity of [...capacities].sort((a, b) => a - b)) {
    const level = Math.ceil(left / hosts);
    if (capacity >= level) return Math.min(own, level);
    left -= capacity;
    hosts--;
  }
  return own;
}
