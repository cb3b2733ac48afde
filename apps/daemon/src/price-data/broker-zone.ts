import type { GatewayReads } from '@libs/gateway-client';
import { ServerClock } from '@libs/simulator';

const hourMs = 3_600_000;
/** The zones of most brokers, whose day ends with that of New York; they differ in a few weeks of March, October and November. */
const usualZones = ['Europe/Athens', 'America/New_York+7'];
const mostHours = 14;

/**
 * A zone with the offset that the broker's clock has at its last quote of a symbol; null if the offset is not known, or is not whole
 * hours. It is a usual zone of brokers if one fits, with its summer time; otherwise a zone without summer time.
 * @throws GatewayReadError
 */
export async function brokerZone(reads: GatewayReads, symbol: string): Promise<string | null> {
  const { time_msc: serverMs, time_utc: text } = await reads.symbolInfoTick(symbol);
  return text === null ? null : zoneOf(serverMs, Date.parse(text));
}

/** The zone of a clock that shows an instant as another time, both in milliseconds. */
export function zoneOf(serverMs: number, utcMs: number): string | null {
  const usual = usualZones.find((zone) => new ServerClock(zone).serverMs(utcMs) === serverMs);
  if (usual !== undefined) return usual;
  const hours = (serverMs - utcMs) / hourMs;
  if (!Number.isInteger(hours) || Math.abs(hours) > mostHours) return null;
  // The sign of these names is that of POSIX: ahead of UTC is negative.
  return hours === 0 ? 'UTC' : `Etc/GMT${hours > 0 ? '-' : '+'}${Math.abs(hours)}`;
}
