import type { DaemonStrategies, Reconciliation, SetAsideNotification, SignalSourceReport } from '@libs/gateway-client';
import { countText } from '@libs/gateway-client';
import type { Desk } from './desk';
import type { Tab } from './tab';

/** Something that needs attention, and the part of the page that has it. */
export interface Need {
  readonly text: string;
  readonly tab: Tab;
}

/** What {@link needs} are made of; null is not known, and is shown by the panel that lacks it. */
export interface NeedsSource {
  readonly books: Pick<Reconciliation, 'unresolved' | 'differences'> | null;
  readonly strategies: DaemonStrategies | null;
  readonly notifications: readonly Pick<SetAsideNotification, 'id'>[] | null;
  /** The sources of signals. */
  readonly signals: readonly Pick<SignalSourceReport, 'name' | 'problem'>[];
  /** State of the audit log; null if it is not known. */
  readonly audit: string | null;
  readonly isStreamLive: boolean;
  /** What could not be read lately, though the gateway answers. */
  readonly notCurrent: readonly Need[];
}

export function needsOf(desk: Desk): readonly Need[] {
  return needs({
    books: desk.books.reading.value.value,
    strategies: desk.strategies.reading.value.value,
    notifications: desk.notifications.reading.value.value,
    signals: desk.health.reading.value.value?.signals ?? [],
    audit: desk.health.reading.value.value?.audit.state ?? null,
    isStreamLive: ['connecting', 'connected'].includes(desk.log.state.value),
    notCurrent: desk.health.standing === 'current' ? notCurrent(desk) : [],
  });
}

function notCurrent(desk: Desk): readonly Need[] {
  const lists = [
    [desk.books, 'unknown outcomes and differences', 'Requests'],
    [desk.strategies, 'strategies', 'Strategies'],
    [desk.signals, 'signals', 'Requests'],
    [desk.notifications, 'notifications', 'System'],
  ] as const;
  return lists.flatMap(([feed, name, tab]) =>
    feed.standing === 'current' || feed.reading.value.error === null || feed.isStated
      ? []
      : [{ text: `${name} are not current`, tab }],
  );
}

/** What needs attention, the most urgent first. Readiness and outages are in the header. */
export function needs({
  books,
  strategies,
  notifications,
  signals,
  audit,
  isStreamLive,
  notCurrent: old,
}: NeedsSource): readonly Need[] {
  const rows = strategies?.strategies ?? [];
  const differences = books?.differences ?? [];
  const lost = differences.filter(({ kind, field }) => kind === 'level_mismatch' && field === 'sl');
  const others = differences.length - lost.length;
  return [
    ...counted(books?.unresolved.length ?? 0, 'request of unknown outcome', 'requests of unknown outcome', 'Requests'),
    ...counted(lost.length, 'stop-loss is not as it was set', 'stop-losses are not as they were set', 'Requests'),
    ...counted(others, 'difference from the journal', 'differences from the journal', 'Requests'),
    ...signals.flatMap(({ name, problem }) =>
      problem === null ? [] : [{ text: `signals of ${name}: ${problem}`, tab: 'Requests' } as const],
    ),
    ...rows.flatMap((row) => strategyNeed(row)),
    ...(strategies?.daemon === 'unreachable'
      ? [{ text: 'the daemon does not answer', tab: 'Strategies' } as const]
      : []),
    ...(audit === null || audit === 'ok' ? [] : [{ text: `audit log ${audit}`, tab: 'System' } as const]),
    ...counted(notifications?.length ?? 0, 'notification set aside', 'notifications set aside', 'System'),
    ...old,
    ...(isStreamLive ? [] : [{ text: 'trade events are not live', tab: 'Events' } as const]),
  ];
}

function counted(count: number, one: string, many: string, tab: Tab): readonly Need[] {
  return count === 0 ? [] : [{ text: countText(count, one, many), tab }];
}

function strategyNeed(row: Readonly<Record<string, unknown>>): readonly Need[] {
  const { name, halted, haltReason, problem } = row;
  if (typeof name !== 'string') return [];
  if (halted === true) return [{ text: `${name} halted: ${textOf(haltReason)}`, tab: 'Strategies' }];
  return typeof problem === 'string' && problem !== '' ? [{ text: `${name}: ${problem}`, tab: 'Strategies' }] : [];
}

function textOf(reason: unknown): string {
  return typeof reason === 'string' ? reason : 'for an unknown reason';
}
