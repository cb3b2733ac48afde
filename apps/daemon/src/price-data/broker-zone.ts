import type { GatewayReads } from '@libs/gateway-client';
import { ServerClock } from '@libs/simulator';

const hourMs = 3_600_000;
/** The zone of most brokers: their day ends with that of New York for most of the year. */
const usualZone = 'Europe/Athens';
const mostHours = 14;

/**
 * A zone with the offset that the broker's clock has at its last quote of a symbol; null if the offset is not known, or is not whole
 * hours. It is the usual zone of brokers if that fits, with its summer time; otherwise a zone without summer time.
 * @throws GatewayReadError
 */
export async function brokerZone(reads: GatewayReads, symbol: string): Promise<string | null> {
  const { time_msc: serverMs, time_utc: text } = await reads.symbolInfoTick(symbol);
  return text === null ? null : zoneOf(serverMs, Date.parse(text));
}

/** The zone of a clock that shows an instant as another time, both in milliseconds. */
export function zoneOf(serverMs: number, utcMs: number): string | null {
  if (new ServerClock(usualZone).serverMs(utcMs) === serverMs) return usualZone;
  const hours = (serverMs - utcMs) / hourMs;
  if (!Number.isInteger(hours) || Math.abs(hours) > mostHours) return null;
  // The sign of these names is that of POSIX: ahead of UTC is negative.
  return hours === 0 ? 'UTC' : `Etc/GMT${hours > 0 ? '-' : '+'}${Math.abs(hours)}`;
}
