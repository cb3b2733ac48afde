import type { Age } from '../core/strategy-event';

interface Sample {
  readonly serverMs: number;
  readonly monotonicMs: number;
}

/** Samples are kept this far apart. */
const apartMs = 1_000;
/** Quotes lag behind the bars of their symbol by no more than this. */
const lagMs = 10_000;
/** By how much a clock is set back at the end of summer time. */
const setBackMs = 3_600_000;
/** Samples that are kept: about a minute of them, several times what an age is compared with. */
const most = 64;

/**
 * Which time it was on a symbol's market at which moment of the daemon's clock, learned from its quotes. The two run at
 * different speeds where a simulated or replayed market is faster than the clock.
 */
export class MarketTime {
  private readonly kept: Sample[] = [];
  private latest: Sample | null = null;

  /** Notes that a quote of this time came at this moment. */
  note(serverMs: number, monotonicMs: number): void {
    const { kept, latest } = this;
    // The broker's clock was set back: what was learned before does not apply.
    if (latest && serverMs < latest.serverMs) kept.length = 0;
    this.latest = { serverMs, monotonicMs };
    const last = kept.at(-1);
    if (last && monotonicMs - last.monotonicMs < apartMs) return;
    kept.push(this.latest);
    if (kept.length > most) kept.shift();
  }

  /** How long ago it was this time on the market; 0 when it has not been yet. Null before the first quote. */
  ageOf(serverMs: number, monotonicMs: number): Age | null {
    if (!this.latest) return null;
    const momentMs = this.momentOf(serverMs, this.latest);
    const marketMs = marketMsSince(serverMs, this.latest.serverMs);
    // Up to the latest quote: a market that has stopped since, as a replay does at its end, was as fast before.
    const ranMs = this.latest.monotonicMs - momentMs;
    const speed = marketMs > 0 && ranMs > 0 ? marketMs / ranMs : 1;
    return { marketMs, realMs: Math.max(0, monotonicMs - momentMs), speed };
  }

  /** When it was this time: between two samples time is taken to have run evenly, as it does in an outage. */
  private momentOf(serverMs: number, latest: Sample): number {
    const samples = [...this.kept, latest];
    const after = samples.findIndex((sample) => sample.serverMs > serverMs);
    if (after === -1) return latest.monotonicMs;
    const [from, to] = [samples[after - 1], samples[after]];
    if (!from || !to) return samples[0]?.monotonicMs ?? latest.monotonicMs;
    const share = (serverMs - from.serverMs) / (to.serverMs - from.serverMs);
    return from.monotonicMs + share * (to.monotonicMs - from.monotonicMs);
  }
}

/** A time that is later than the newest quote was before the clock was set back, unless the quotes lag behind it. */
function marketMsSince(serverMs: number, latestMs: number): number {
  const aheadMs = serverMs - latestMs;
  return aheadMs > lagMs && aheadMs < setBackMs ? setBackMs - aheadMs : Math.max(0, -aheadMs);
}
