import { Injectable } from '@nestjs/common';
import { single } from '@libs/envelope';
import { tickFields } from '@libs/records';
import type { Tick } from '@libs/terminal-client';
import { ServerTime } from '../server-time/server-time';

const mostSymbols = 1_000;
const tickNames = Object.keys(tickFields) as readonly (keyof Tick)[];

interface Written {
  readonly tick: Tick;
  readonly zone: object | null;
  readonly body: string;
}

/** The last quote of each symbol as JSON. It is written again only if the terminal's quote, or the offset, is another one. */
@Injectable()
export class TickBodies {
  private readonly written = new Map<string, Written>();

  constructor(private readonly serverTime: ServerTime) {}

  /** @param ageSeconds null if it is not known */
  body(symbol: string, tick: Tick, ageSeconds: number | null): string {
    // The age is another one with each read.
    return `${this.withoutAge(symbol, tick).slice(0, -1)},"age_seconds":${ageSeconds}}`;
  }

  private withoutAge(symbol: string, tick: Tick): string {
    const zone = this.serverTime.rule;
    const known = this.written.get(symbol);
    if (known && known.zone === zone && isSameTick(known.tick, tick)) return known.body;
    const body = JSON.stringify(single({ ...tick, time_utc: this.serverTime.utcIsoMs(tick.time_msc) }));
    if (this.written.size >= mostSymbols) this.written.clear();
    this.written.set(symbol, { tick, zone, body });
    return body;
  }
}

function isSameTick(a: Tick, b: Tick): boolean {
  return tickNames.every((name) => a[name] === b[name]);
}
