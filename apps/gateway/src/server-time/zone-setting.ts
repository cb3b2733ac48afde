import { IanaZone, type ServerZone } from './server-zone';

const shifted = /^(?<name>[A-Za-z][A-Za-z0-9_+\-/]*?)(?<sign>[+-])(?<hours>\d{1,2})(?::(?<minutes>[0-5]\d))?$/;
const maxShiftMs = 14 * 3_600_000;

/**
 * Reads TERMINAL_SERVER_TIME_ZONE: an IANA zone (`Europe/Athens`), or one with a fixed shift for servers that follow
 * the daylight time of another place: `America/New_York+7` is New York's wall clock plus seven hours.
 * @throws RangeError if the platform does not know the zone, which prevents the start
 */
export function parseServerZone(value: string): ServerZone {
  const name = value.trim();
  if (isZone(name)) return new IanaZone(name);
  const parts = shifted.exec(name)?.groups;
  const shiftMs = (Number(parts?.hours) * 60 + Number(parts?.minutes ?? 0)) * 60_000;
  if (!parts?.name || !isZone(parts.name) || !(shiftMs <= maxShiftMs)) {
    throw new RangeError(
      'must be an IANA time zone such as Europe/Athens, or one with a shift such as America/New_York+7',
    );
  }
  return new IanaZone(parts.name, parts.sign === '-' ? -shiftMs : shiftMs);
}

/** Plain offsets (`+03:00`) are not zones, although newer platforms accept them; another setting is for them. */
function isZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}
