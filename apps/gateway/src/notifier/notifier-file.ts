/** The notifier's file, checked, with its defaults filled in and its secrets read. */
export interface NotifierFile {
  readonly channels: readonly ChannelSpec[];
  readonly rules: readonly RuleSpec[];
}

/** A channel with its own queue. An e-mail channel of the file is one for each recipient. */
export type ChannelSpec = WebhookSpec | TelegramSpec | DiscordSpec | EmailSpec;

export interface WebhookSpec {
  readonly type: 'webhook';
  readonly name: string;
  readonly url: string;
  /** Key of the signature. */
  readonly secret: string;
}

export interface TelegramSpec {
  readonly type: 'telegram';
  readonly name: string;
  readonly chatId: string;
  readonly token: string;
  /** Address of the Bot API. */
  readonly url: string;
}

export interface DiscordSpec {
  readonly type: 'discord';
  readonly name: string;
  /** Address of the webhook, which is its credential. */
  readonly url: string;
}

export interface EmailSpec {
  readonly type: 'email';
  readonly name: string;
  readonly host: string;
  readonly port: number;
  /** `tls` from the first byte, `starttls` required, or `none`. */
  readonly security: (typeof emailSecurities)[number];
  readonly user: string | null;
  readonly password: string | null;
  readonly from: string;
  /** All recipients, as each mail shows them. */
  readonly to: readonly string[];
  /** The one of them that this channel delivers to. */
  readonly recipient: string;
}

export const emailSecurities = ['starttls', 'tls', 'none'] as const;
export const tradeKinds = ['position', 'order', 'deal'] as const;
export const tradeActions = ['opened', 'changed', 'partially_closed', 'closed', 'added'] as const;
/** States of signals that a rule may name. */
const goodSignalActions = ['accepted', 'done', 'placed', 'nothing_to_do'] as const;
export const badSignalActions = ['partly_done', 'rejected', 'refused', 'expired', 'unknown'] as const;

/** The events of the event log that a rule may name, and their actions. */
export const eventKinds = [...tradeKinds, 'signal'] as const;
export const eventActions = [...tradeActions, ...badSignalActions, ...goodSignalActions] as const;

/** Names of the states that a rule can watch. */
export const watchedStates = [
  'halt',
  'terminal',
  'storage',
  'unknown_outcome',
  'difference',
  'signals',
  'drawdown',
] as const;
export type WatchedState = (typeof watchedStates)[number];

interface AnyRule {
  /** Names of the channels that get its messages. */
  readonly channels: readonly string[];
}

/** Trade events that satisfy every list. */
export interface TradesRule extends AnyRule {
  readonly on: 'trades';
  readonly events: readonly string[];
  readonly actions: readonly string[];
  /** If empty, every symbol satisfies the rule. */
  readonly symbols: readonly string[];
  /** If empty, every magic number satisfies the rule. */
  readonly magics: readonly number[];
}

interface AnyWatchRule extends AnyRule {
  /** How long a change has to last before it is reported. */
  readonly forMs: number;
  /** Most messages in an hour; further changes are counted and reported later. */
  readonly maxPerHour: number;
}

export interface StateRule extends AnyWatchRule {
  readonly on: Exclude<WatchedState, 'drawdown'>;
}

export interface DrawdownRule extends AnyWatchRule {
  readonly on: 'drawdown';
  /** `day`: the equity at the start of the broker's day. `peak`: the highest equity so far. */
  readonly from: 'day' | 'peak';
  readonly percent: number;
}

export type WatchRule = StateRule | DrawdownRule;

export interface ReportRule extends AnyRule {
  readonly on: 'daily_report';
  /** Minutes after midnight of the broker's clock. */
  readonly atMinute: number;
}

export type RuleSpec = TradesRule | WatchRule | ReportRule;

export function isWatchRule(rule: RuleSpec): rule is WatchRule {
  return rule.on !== 'trades' && rule.on !== 'daily_report';
}
