import type { TickColumns } from '@libs/terminal-client';
import { IsoWriter } from '../server-time/iso-time';
import { jsonNumber } from './bar-rows';

/** Writes rows of ticks as JSON text, each preceded by a comma, without an object or a Date per row. */
export class TickRowWriter {
  private readonly iso = new IsoWriter();

  /** One row. @param utcMs the tick's instant, or null while no offset is known */
  write(ticks: TickColumns, row: number, utcMs: number | null): string {
    const { time, bid, ask, last, volume, time_msc, flags, volume_real } = ticks;
    const timeUtc = utcMs === null ? 'null' : `"${this.iso.milliseconds(utcMs)}Z"`;
    return (
      `,{"time":${jsonNumber(time[row])},"bid":${jsonNumber(bid[row])},"ask":${jsonNumber(ask[row])}` +
      `,"last":${jsonNumber(last[row])},"volume":${jsonNumber(volume[row])},"time_msc":${jsonNumber(time_msc[row])}` +
      `,"flags":${jsonNumber(flags[row])},"volume_real":${jsonNumber(volume_real[row])},"time_utc":${timeUtc}}`
    );
  }
}
