import { shown } from '../backtest/period';
import type { BarRange, ReceivedDays, StreamSources } from './received-bars';

/** Ranges that a sentence lists; JSON has all. */
const mostListed = 5;

/** Which bars the backtest of a live strategy received, a sentence for each stream. */
export function receivedNotes({ name, sources, damaged }: ReceivedDays): readonly string[] {
  return [
    ...sources.flatMap((stream) => (countOf(stream.received, stream.gateway) === 0 ? [] : [textOf(name, stream)])),
    ...(damaged === 0
      ? []
      : [`The record of the bars that ${name} received has damaged lines: ${damaged}. Their bars are the gateway's.`]),
  ];
}

/** Whether bars of a strategy are not on record. */
export function hasUnrecorded({ sources }: ReceivedDays): boolean {
  return sources.some(({ gateway }) => gateway.length > 0);
}

function textOf(name: string, source: StreamSources): string {
  const { stream, received, gateway, changed, removed, notReceived, late } = source;
  const [own, other] = [countOf(received), countOf(gateway)];
  const parts = [
    ...(changed.length === 0 ? [] : [`other prices at the gateway now: ${countOf(changed)}${listed(changed)}`]),
    ...(removed.length === 0 ? [] : [`no longer at the gateway: ${countOf(removed)}${listed(removed)}`]),
    ...(notReceived.length === 0
      ? []
      : [`at the gateway, but not received: ${countOf(notReceived)}${listed(notReceived)}`]),
    ...(late === 0 ? [] : [`late: ${late}`]),
  ];
  const differences = parts.length === 0 ? '' : ` Differences: ${parts.join('; ')}.`;
  return `${baseText(name, stream, own, other, source)}${differences}`;
}

function baseText(
  name: string,
  stream: string,
  own: number,
  other: number,
  { received, gateway }: StreamSources,
): string {
  if (own === 0) return `The backtest of ${name} got the gateway's ${other} bars of ${stream}: none is on record.`;
  if (other === 0) return `The backtest of ${name} got all ${own} bars of ${stream} as ${name} received them.`;
  return `The backtest of ${name} got ${own} of ${own + other} bars of ${stream} as ${name} received them${listed(received)}, and ${other} as the gateway has them, because they are not on record${listed(gateway)}.`;
}

function countOf(...lists: readonly (readonly BarRange[])[]): number {
  return lists.flat().reduce((sum, { bars }) => sum + bars, 0);
}

function listed(ranges: readonly BarRange[]): string {
  const texts = ranges.slice(0, mostListed).map(({ fromMs, toMs }) => {
    return fromMs === toMs ? shown(fromMs) : `${shown(fromMs)} to ${shown(toMs)}`;
  });
  const more = ranges.length > mostListed ? [`${ranges.length - mostListed} more times`] : [];
  return ` (${[...texts, ...more].join(', ')})`;
}
