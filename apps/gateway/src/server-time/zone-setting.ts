import { parseZoneName } from '@libs/clock';
import { IanaZone, type ServerZone } from './server-zone';

/**
 * Reads TERMINAL_SERVER_TIME_ZONE: an IANA zone (`Europe/Athens`), or one with a fixed shift for servers that follow
 * the daylight time of another place: `America/New_York+7` is New York's wall clock plus seven hours.
 * @throws RangeError if the platform does not know the zone, which prevents the start
 */
export function parseServerZone(value: string): ServerZone {
  const { zone, shiftMs } = parseZoneName(value);
  return new IanaZone(zone, shiftMs);
}
