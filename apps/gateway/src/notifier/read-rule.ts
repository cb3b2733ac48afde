import { FileReader } from '../settings/file-reader';
import {
  badSignalActions,
  eventActions,
  eventKinds,
  tradeActions,
  tradeKinds,
  watchedStates,
  type RuleSpec,
  type WatchedState,
} from './notifier-file';

const names = ['trades', ...watchedStates, 'daily_report'];

/** How long a change lasts before it is reported, in seconds: what passes by itself is not worth a message. */
const usualForSeconds: Readonly<Record<WatchedState, number>> = {
  halt: 0,
  terminal: 30,
  storage: 5,
  unknown_outcome: 10,
  difference: 10,
  signals: 0,
  drawdown: 15,
};
const usualPerHour = 12;
/** Of signals only those that failed. */
const usualActions = [...tradeActions.filter((action) => action !== 'changed'), ...badSignalActions];

/** What a rule can have, besides what it is on and its channels; a state has the common ones. */
export const ruleFields = {
  trades: ['events', 'actions', 'symbols', 'magics'],
  daily_report: ['at'],
  state: ['for_seconds', 'max_per_hour'],
  drawdown: ['for_seconds', 'max_per_hour', 'from', 'percent'],
} as const;
export const timeOfDay = /^([01]\d|2[0-3]):([0-5]\d)$/;

/** Reads one rule; none if what it is on is unknown. @param channels names of the channels of the file */
export function readRule(value: unknown, path: string, channels: readonly string[], problems: string[]): RuleSpec[] {
  const on: unknown = typeof value === 'object' && value !== null && 'on' in value ? value.on : undefined;
  const read = (known: readonly string[]): FileReader =>
    new FileReader(value, path, ['on', 'channels', ...known], problems);
  if (on === 'trades') return [tradesRule(read(ruleFields.trades), channels)];
  if (on === 'daily_report') return [reportRule(read(ruleFields.daily_report), channels)];
  const state = watchedStates.find((one) => one === on);
  if (state === undefined) {
    problems.push(`${path}.on must be one of ${names.join(', ')}`);
    return [];
  }
  return [watchRule(state, read(state === 'drawdown' ? ruleFields.drawdown : ruleFields.state), channels)];
}

function tradesRule(reader: FileReader, channels: readonly string[]): RuleSpec {
  return {
    on: 'trades',
    channels: channelsOf(reader, channels),
    events: reader.wordsOf('events', eventKinds) ?? tradeKinds,
    actions: reader.wordsOf('actions', eventActions) ?? usualActions,
    symbols: reader.texts('symbols') ?? [],
    magics: magicsOf(reader),
  };
}

function magicsOf(reader: FileReader): number[] {
  const value = reader.value('magics') ?? [];
  if (Array.isArray(value) && value.every((item) => Number.isSafeInteger(item))) return value as number[];
  reader.problem('magics', 'must be a list of integers');
  return [];
}

function watchRule(on: WatchedState, reader: FileReader, channels: readonly string[]): RuleSpec {
  const common = {
    channels: channelsOf(reader, channels),
    forMs: reader.number('for_seconds', { min: 0, max: 86_400, fallback: usualForSeconds[on] }) * 1_000,
    maxPerHour: reader.number('max_per_hour', { min: 1, max: 1_000, fallback: usualPerHour }),
  };
  if (on !== 'drawdown') return { on, ...common };
  return {
    on,
    ...common,
    from: reader.oneOf('from', ['day', 'peak'], 'day'),
    percent: reader.number('percent', { min: 0.01, max: 100 }),
  };
}

function reportRule(reader: FileReader, channels: readonly string[]): RuleSpec {
  const at = reader.text('at');
  const [, hours = '', minutes = ''] = timeOfDay.exec(at) ?? [];
  if (at !== '' && hours === '') reader.problem('at', 'must be a time of the broker, such as "23:55"');
  return { on: 'daily_report', channels: channelsOf(reader, channels), atMinute: Number(hours) * 60 + Number(minutes) };
}

function channelsOf(reader: FileReader, channels: readonly string[]): readonly string[] {
  const named = reader.texts('channels');
  if (named === null || named.length === 0) reader.problem('channels', 'must list at least one channel');
  for (const name of named ?? []) {
    if (!channels.includes(name)) reader.problem('channels', `names ${name}, which is not a channel`);
  }
  return [...new Set(named ?? [])];
}
