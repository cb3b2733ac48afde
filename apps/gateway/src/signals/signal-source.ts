import type { Timeframe } from '@libs/terminal-client';
import type { LevelUnit, Size, Verb } from './signal';

export const sequenceKinds = ['time', 'number', 'none'] as const;

/** A declared source of alerts. */
export interface SignalSource {
  readonly name: string;
  readonly secret: string;
  /** The magic number of its orders, and of the positions that it may change. */
  readonly magic: number;
  /** The account that its requests are for; null: the one of the gateway. */
  readonly login: number | null;
  /** The fence that its requests name, as `name;token`; null for none. */
  readonly fence: string | null;
  /** Addresses and networks whose alerts are taken; null takes them from everywhere, by their secret alone. */
  readonly senders: readonly string[] | null;
  /** Addresses of proxies whose `X-Forwarded-For` is believed. */
  readonly proxies: readonly string[];
  readonly maxPerMinute: number;
  /** An alert that is older, or could not be executed for so long, opens nothing. */
  readonly maxAgeMs: number;
  /** The same for alerts that only close, cancel or protect. */
  readonly maxExitAgeMs: number;
  /** The symbol of the account by the symbol of the source. */
  readonly symbols: ReadonlyMap<string, string>;
  readonly verbs: readonly Verb[];
  /** The size of an entry that names none; null if each has to. */
  readonly size: Size | null;
  /** The unit of a level that names none. */
  readonly levels: LevelUnit;
  /** Lots of one unit of `position`. */
  readonly lotsPerUnit: number;
  readonly atr: { readonly timeframe: Timeframe; readonly period: number };
  /** What orders its alerts: those that come after a later one are refused. */
  readonly sequence: (typeof sequenceKinds)[number];
  /** For alerts without `id` and `time`: the same text within this time is a repeated delivery; null: they are refused. */
  readonly repeatMs: number | null;
  readonly limits: SourceLimits;
}

/** What one alert may ask for, and what may be open after it. */
export interface SourceLimits {
  readonly maxLots: number;
  /** Lots of all positions of its magic number in one symbol. */
  readonly maxOpenLots: number;
  /** Percent of the equity. */
  readonly maxRiskPercent: number;
}
