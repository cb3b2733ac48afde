/** A zone of the platform's IANA database, and how far the named clock is ahead of it. */
export interface ZoneName {
  readonly zone: string;
  readonly shiftMs: number;
}

const shifted = /^(?<name>[A-Za-z][A-Za-z0-9_+\-/]*?)(?<sign>[+-])(?<hours>\d{1,2})(?::(?<minutes>[0-5]\d))?$/;
const maxShiftMs = 14 * 3_600_000;

/**
 * Reads an IANA zone (`Europe/Athens`), or one with a fixed shift for clocks that follow the daylight time of another
 * place: `America/New_York+7` is New York's wall clock plus seven hours.
 * @throws RangeError if the platform does not know the zone
 */
export function parseZoneName(value: string): ZoneName {
  const name = value.trim();
  if (isPlatformZone(name)) return { zone: name, shiftMs: 0 };
  const parts = shifted.exec(name)?.groups;
  const shiftMs = (Number(parts?.hours) * 60 + Number(parts?.minutes ?? 0)) * 60_000;
  if (!parts?.name || !isPlatformZone(parts.name) || !(shiftMs <= maxShiftMs)) {
    throw new RangeError(
      'must be an IANA time zone such as Europe/Athens, or one with a shift such as America/New_York+7',
    );
  }
  return { zone: parts.name, shiftMs: parts.sign === '-' ? -shiftMs : shiftMs };
}

/** Whether {@link parseZoneName} takes a name. */
export function isZoneName(value: string): boolean {
  try {
    parseZoneName(value);
    return true;
  } catch {
    return false;
  }
}

/** Plain offsets (`+03:00`) are not zones, although newer platforms accept them. */
function isPlatformZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}
