import { moneyText } from '@libs/records';
import type { Notification } from './notification';
import type { DrawdownRule, WatchRule } from './notifier-file';
import { isDeep, percentOf, type Drawdown } from './drawdown';
import { isForgettable, unwatched, watchStep, type WatchMemory, type WatchNotice } from './watch-state';

/** The gateway at one moment. */
export interface GatewayFacts {
  readonly nowMs: number;
  readonly account: number | null;
  readonly isHalted: boolean;
  /** Why the terminal cannot be relied on: the state of the session, or what is not explained of the account; null if it can be. */
  readonly terminalProblem: string | null;
  /** Why new risk is refused, other than by the terminal and the kill switch. */
  readonly storageProblems: readonly string[];
  /** What the account and the journal disagree on: its name, and what it says. */
  readonly differences: ReadonlyMap<string, string>;
  /** What is wrong with the alerts of sources of signals, by the source. */
  readonly signalProblems: ReadonlyMap<string, string>;
  /** Requests with an unknown outcome: the key, and the route. */
  readonly unknownOutcomes: ReadonlyMap<string, string>;
  /** What became of a request that is no longer one of them, as the end of a sentence. */
  readonly settledAs: (key: string) => string;
  /** Decimals of the account currency; undefined without a session. */
  readonly currencyDigits?: number | undefined;
  /** Null while the account cannot be read. */
  readonly drawdowns: Readonly<Record<DrawdownRule['from'], Drawdown | null>>;
}

export type WatchMemories = Readonly<Record<string, WatchMemory>>;

/** What rules say after one look. */
export interface WatchedStep {
  readonly memories: WatchMemories;
  readonly notifications: readonly { readonly channels: readonly string[]; readonly message: Notification }[];
}

/** One state of one rule: a rule about requests has one for each of them. */
interface Subject {
  readonly name: string;
  readonly holds: boolean;
  readonly text: (state: WatchNotice['state']) => string;
  readonly data: object | null;
}

/** Compares the gateway with all rules. Pure but for the ids of new messages. */
export function watch(
  rules: readonly WatchRule[],
  before: WatchMemories,
  facts: GatewayFacts,
  newId: () => string,
): WatchedStep {
  const memories: Record<string, WatchMemory> = {};
  const notifications: { channels: readonly string[]; message: Notification }[] = [];
  for (const rule of rules) {
    for (const [key, subject] of subjectsOf(rule, before, facts)) {
      const known = before[key] ?? unwatched(facts.nowMs);
      const { memory, notice } = subject
        ? watchStep(known, subject.holds, facts.nowMs, rule)
        : { memory: known, notice: null };
      if (!isForgettable(memory)) memories[key] = memory;
      if (!subject || !notice) continue;
      notifications.push({ channels: rule.channels, message: messageOf(rule, subject, notice, facts, newId()) });
    }
  }
  return { memories, notifications };
}

function messageOf(
  rule: WatchRule,
  { text, data }: Subject,
  { state, sinceMs, changes }: WatchNotice,
  { account, nowMs }: GatewayFacts,
  id: string,
): Notification {
  const since = new Date(sinceMs).toISOString();
  const more = changes > 1 ? `; changed ${changes} times since the last message` : '';
  return {
    id,
    type: rule.on,
    state,
    at: new Date(nowMs).toISOString(),
    account,
    text: `${text(state)}, since ${since}${more}`,
    data: { since, changes, ...data },
  };
}

/** The states of a rule by the key of their memory; null for one that cannot be read now, which stays as it is. */
function subjectsOf(rule: WatchRule, before: WatchMemories, facts: GatewayFacts): Map<string, Subject | null> {
  const prefix = JSON.stringify(rule);
  if (rule.on === 'unknown_outcome') return outcomes(prefix, before, facts);
  if (rule.on === 'signals') return signalProblems(prefix, before, facts);
  if (rule.on === 'difference') return differences(prefix, before, facts);
  const key = `${prefix}:`;
  return new Map([[key, stateOf(rule, before[key]?.reported ?? false, facts)]]);
}

function stateOf(rule: WatchRule, isReported: boolean, facts: GatewayFacts): Subject | null {
  switch (rule.on) {
    case 'halt':
      return subject('', facts.isHalted, {
        raised: 'trading is halted: the kill switch is active',
        resolved: 'trading is not halted: the kill switch is inactive',
      });
    case 'terminal':
      return subject('', facts.terminalProblem !== null, {
        raised: facts.terminalProblem ?? '',
        resolved: 'the terminal is connected',
      });
    case 'storage':
      return subject('', facts.storageProblems.length > 0, {
        raised: `new trades are refused: ${facts.storageProblems.join('; ')}`,
        resolved: 'the trade journal, the audit log and the kill-switch file can be written',
      });
    case 'drawdown':
      return drawdownState(rule, isReported, facts);
    case 'unknown_outcome':
    case 'difference':
    case 'signals':
      return null;
  }
}

function subject(
  name: string,
  holds: boolean,
  texts: Record<WatchNotice['state'], string>,
  data: object | null = null,
): Subject {
  return { name, holds, text: (state) => texts[state], data };
}

/** Names that a rule has reported before, or that hold now. */
function namesOf(prefix: string, before: WatchMemories, now: Iterable<string>): Set<string> {
  const known = Object.keys(before)
    .filter((key) => key.startsWith(`${prefix}:`))
    .map((key) => key.slice(prefix.length + 1));
  return new Set([...known, ...now]);
}

function outcomes(prefix: string, before: WatchMemories, facts: GatewayFacts): Map<string, Subject> {
  return new Map(
    [...namesOf(prefix, before, facts.unknownOutcomes.keys())].map((name) => {
      const route = facts.unknownOutcomes.get(name);
      const raised = `the outcome of ${name} (${route ?? ''}) is unknown: do not send it under another key`;
      const texts = {
        raised,
        resolved: `the outcome of ${name} is settled${route === undefined ? facts.settledAs(name) : ''}`,
      };
      return [`${prefix}:${name}`, subject(name, route !== undefined, texts, { key: name })];
    }),
  );
}

function differences(prefix: string, before: WatchMemories, facts: GatewayFacts): Map<string, Subject> {
  return new Map(
    [...namesOf(prefix, before, facts.differences.keys())].map((name) => {
      const message = facts.differences.get(name);
      const texts = { raised: `account and journal disagree: ${message ?? name}`, resolved: `no longer: ${name}` };
      return [`${prefix}:${name}`, subject(name, message !== undefined, texts, { difference: name })];
    }),
  );
}

function signalProblems(prefix: string, before: WatchMemories, facts: GatewayFacts): Map<string, Subject> {
  return new Map(
    [...namesOf(prefix, before, facts.signalProblems.keys())].map((name) => {
      const problem = facts.signalProblems.get(name);
      const texts = {
        raised: `the signals of ${name} have a problem: ${problem ?? ''}`,
        resolved: `the signals of ${name} have no problem`,
      };
      return [`${prefix}:${name}`, subject(name, problem !== undefined, texts, { source: name })];
    }),
  );
}

function drawdownState(
  { from, percent: limit }: DrawdownRule,
  isReported: boolean,
  facts: GatewayFacts,
): Subject | null {
  const drawdown = facts.drawdowns[from];
  if (drawdown === null) return null;
  const percent = percentOf(drawdown)?.toFixed(2) ?? '0.00';
  const [equity = '', reference = ''] = [drawdown.equity, drawdown.reference].map((amount) =>
    moneyText(amount.toNumber(), facts.currencyDigits),
  );
  const level = from === 'day' ? "the start of the broker's day" : 'the peak';
  const figures = `${percent}% from ${level}: equity ${equity}, ${from === 'day' ? 'then' : 'at the peak'} ${reference}`;
  return subject(
    '',
    isDeep(drawdown, limit, isReported),
    { raised: `drawdown of ${figures}; limit ${limit}%`, resolved: `drawdown back to ${figures}; limit ${limit}%` },
    { from, percent, equity, reference, limit_percent: limit },
  );
}
