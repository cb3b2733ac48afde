import type { BarRecording } from './recordings';
import type { SymbolRecording } from './replay-files';

const columns = ['open', 'high', 'low', 'close'] as const;

/** Times of the ticks or bars whose ask lies below the bid, in UTC milliseconds. */
export function crossedTimes(recording: SymbolRecording): readonly number[] {
  if (recording.kind === 'bars') return crossedBars(recording.bid, recording.ask);
  const { times, bids, asks } = recording.ticks;
  const crossed: number[] = [];
  for (let at = 0; at < times.length; at++) {
    if ((asks[at] ?? 0) < (bids[at] ?? 0)) crossed.push(times[at] ?? 0);
  }
  return crossed;
}

/** Minutes in which open, high, low or close of the ask is below that of the bid. */
function crossedBars(bid: BarRecording, ask: BarRecording): readonly number[] {
  const crossed: number[] = [];
  let at = 0;
  for (let row = 0; row < bid.times.length; row++) {
    const timeMs = bid.times[row] ?? 0;
    while (at < ask.times.length && (ask.times[at] ?? 0) < timeMs) at++;
    if (ask.times[at] !== timeMs) continue;
    if (columns.some((name) => (ask[name][at] ?? 0) < (bid[name][row] ?? 0))) crossed.push(timeMs);
  }
  return crossed;
}
