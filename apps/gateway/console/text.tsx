import { priceText } from '@libs/gateway-client';
import type { ComponentChildren } from 'preact';
import { ageOf } from './reading';
import { now, type Feed } from './feed';

const orderTypes = [
  'BUY',
  'SELL',
  'BUY LIMIT',
  'SELL LIMIT',
  'BUY STOP',
  'SELL STOP',
  'BUY STOP LIMIT',
  'SELL STOP LIMIT',
];

/** The type of an order in words. */
export function orderTypeText(type: number): string {
  return orderTypes[type] ?? `type ${type}`;
}

/** A stop-loss or take-profit; 0 means that there is none. */
export function level(value: number, digits: number | undefined): string {
  return value === 0 ? 'none' : priceText(value, digits);
}

/** A text of the broker: its characters are shown as they are, and cannot change the direction of what follows. */
export function Foreign({ text }: { readonly text: string }) {
  return <bdi class="foreign">{text}</bdi>;
}

interface PanelProps<T> {
  readonly id: string;
  readonly title: string;
  readonly feed: Feed<T>;
  readonly children: (value: T) => ComponentChildren;
}

/** Figures of one route, with their age. A value that is not current is marked, and states why. */
export function Panel<T>({ id, title, feed, children }: PanelProps<T>) {
  const reading = feed.reading.value;
  const { standing } = feed;
  const age = ageOf(reading, now.value);
  return (
    <section id={id} class={`panel ${standing}`} aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`}>
        {title} {age !== null && <small class="age">read {age}</small>}
      </h2>
      {standing === 'stale' && <p class="stale-note">Not current: {reading.error ?? `the last read was ${age}`}</p>}
      {reading.value === null ? <p>{reading.error ?? 'Reading…'}</p> : children(reading.value)}
    </section>
  );
}
