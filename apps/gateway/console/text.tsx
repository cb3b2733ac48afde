import { priceText } from '@libs/gateway-client';
import type { ComponentChildren } from 'preact';
import { now, type Feed } from './feed';
import { orderTypeText } from './figures';
import { ageOf, durationText } from './reading';

/** A stop-loss or take-profit; 0 means that there is none. */
export function level(value: number, digits: number | undefined): string {
  return value === 0 ? 'none' : priceText(value, digits);
}

/** Whether it is bought or sold: by word, form and colour. @param type of a position or an order */
export function Side({ type }: { readonly type: number }) {
  return <SideWord words={orderTypeText(type)} />;
}

/** The same of an order type in words, such as `BUY_LIMIT`. */
export function SideWord({ words: type }: { readonly words: string }) {
  const words = type.replaceAll('_', ' ');
  const [side] = words.split(' ');
  if (side !== 'BUY' && side !== 'SELL') return <span>{words}</span>;
  return (
    <span class={`side ${side.toLowerCase()}`}>
      <span aria-hidden="true">{side === 'BUY' ? '▲' : '▼'}</span> {words}
    </span>
  );
}

/** A text of the broker: its characters are shown as they are, and cannot change the direction of what follows. */
export function Foreign({ text }: { readonly text: string }) {
  return <bdi class="foreign">{text}</bdi>;
}

/** Why the newest read failed. The header states once what keeps several panels from being read. */
export function reasonOf(feed: Feed<unknown>): string | null {
  return feed.isStated ? 'the reason is stated above' : feed.reading.value.error;
}

function staleText(feed: Feed<unknown>, age: string | null): string {
  return `Not current: ${reasonOf(feed) ?? `the last read was ${age}`}`;
}

/** In place of what was never read: since when, and why. */
export function NotRead({ feed }: { readonly feed: Feed<unknown> }) {
  const reason = reasonOf(feed);
  return <p class="none">{reason === null ? 'Reading…' : `Not read for ${durationText(feed.unreadMs)}: ${reason}`}</p>;
}

interface PanelProps<T> {
  readonly id: string;
  readonly title: string;
  readonly feed: Feed<T>;
  /** How many it lists; beside the title once there are several. */
  readonly count?: (value: T) => number;
  readonly children: (value: T) => ComponentChildren;
}

/** Figures of one route, with their age. A value that is not current is marked, and states why. */
export function Panel<T>({ id, title, feed, count, children }: PanelProps<T>) {
  const reading = feed.reading.value;
  const { standing } = feed;
  const age = ageOf(reading, now.value);
  const rows = reading.value === null ? 0 : (count?.(reading.value) ?? 0);
  return (
    <section id={id} class={`panel ${standing}`} aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`}>
        {title} {rows > 1 && <span class="rows">{rows}</span>} {age !== null && <small class="age">read {age}</small>}
      </h2>
      {standing === 'stale' && <p class="stale-note">{staleText(feed, age)}</p>}
      {reading.value === null ? <NotRead feed={feed} /> : children(reading.value)}
    </section>
  );
}

/** Names and their values. @param name a class of its list */
export function Facts({
  facts,
  name = '',
}: {
  readonly facts: readonly (readonly [name: string, value: string])[];
  readonly name?: string;
}) {
  if (facts.length === 0) return <p class="none">None.</p>;
  return (
    <dl class={`figures ${name}`}>
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            <Foreign text={value} />
          </dd>
        </div>
      ))}
    </dl>
  );
}
