import type { AccountSum, Fault, FaultKind, LaggingList, ReadMethod } from './fault';

/** What a field of a fault holds. A `list` holds texts, `choices` holds several of the named words. */
export type FieldContent =
  | { readonly type: 'number' | 'count' | 'text' | 'flag' | 'list' }
  | { readonly type: 'choice' | 'choices'; readonly of: readonly string[] };

/** One field of a fault, with its unit and meaning for the help. */
export interface FaultField {
  readonly content: FieldContent;
  readonly meaning: string;
  readonly isRequired: boolean;
}

type FieldsOf<Kind extends FaultKind> = Exclude<keyof Extract<Fault, { readonly kind: Kind }>, 'kind'>;

/** The form of one kind of fault: required fields first, in the order of the command's arguments. */
export interface FaultForm<Kind extends FaultKind = FaultKind> {
  readonly meaning: string;
  readonly fields: { readonly [Field in FieldsOf<Kind>]: FaultField };
}

const number: FieldContent = { type: 'number' };
const count: FieldContent = { type: 'count' };
const text: FieldContent = { type: 'text' };
const choice = (...of: readonly string[]): FieldContent => ({ type: 'choice', of });

const required = (content: FieldContent, meaning: string): FaultField => ({ content, meaning, isRequired: true });
const optional = (content: FieldContent, meaning: string): FaultField => ({ content, meaning, isRequired: false });
const times = optional(count, 'number of calls that the fault affects; by default, all until it is cleared');

const laggingLists = ['positions', 'orders', 'history_orders', 'deals'] as const satisfies readonly LaggingList[];
const lists = optional({ type: 'choices', of: laggingLists }, 'which lists; by default all');
/** The sums of an account. */
export const accountSums = [
  ...(['balance', 'credit', 'profit', 'equity', 'margin', 'margin_free', 'margin_level'] as const),
] as const satisfies readonly AccountSum[];
const readMethods = [
  ...([
    'terminalInfo',
    'accountInfo',
    'symbolsGet',
    'symbolInfo',
    'symbolSelect',
    'symbolInfoTick',
    'ticks',
    'marketBook',
  ] as const),
  ...(['copyRatesFromPos', 'copyRatesRange', 'copyTicksRange', 'positionsGet', 'ordersGet'] as const),
  ...(['historyOrdersGet', 'historyDealsGet', 'orderCheck', 'orderCalcMargin', 'orderCalcProfit'] as const),
] as const satisfies readonly ReadMethod[];

/** Every fault and its fields; total over kinds and fields by the compiler. */
export const faultForms: { readonly [Kind in FaultKind]: FaultForm<Kind> } = {
  latency: {
    meaning: 'Calls take longer; a send is executed at the prices of its arrival.',
    fields: {
      ms: required(number, 'additional milliseconds'),
      calls: optional(choice('reads', 'sends', 'all'), 'which calls; by default all'),
    },
  },
  'drop-before-send': {
    meaning: 'The session drops before the server acts on a send: the outcome is unknown, nothing was done.',
    fields: { times },
  },
  'drop-after-send': {
    meaning: 'The server acts on a send, then the session drops: the outcome is unknown.',
    fields: { times },
  },
  'lose-answer': {
    meaning: 'The server acts on a send, and its answer does not come within the deadline.',
    fields: { lateMs: optional(number, 'milliseconds after the send at which the answer still comes'), times },
  },
  retcode: {
    meaning: 'The server answers sends with a retcode and does nothing, unless --acts.',
    fields: {
      retcode: required(number, 'such as 10004 (requote), 10018 (market closed) or 10019 (no money)'),
      comment: optional(text, 'text of the answer; by default that of the retcode'),
      action: optional(number, 'TRADE_ACTION_* of the sends that it affects; by default all'),
      acts: optional({ type: 'flag' }, 'the server does what was asked all the same; 10010 fills about half'),
      times,
    },
  },
  slippage: {
    meaning: 'Market orders fill worse than their quote, or are requoted beyond their deviation.',
    fields: { points: required(count, 'points of the symbol'), times },
  },
  'zero-ack': {
    meaning: 'The server acts, and acknowledges with price 0 and deal 0.',
    fields: { bare: optional({ type: 'flag' }, 'the order is 0 as well'), times },
  },
  lag: {
    meaning: 'Changes appear in the lists only after some market time.',
    fields: {
      ms: required(number, 'milliseconds of market time'),
      lists,
    },
  },
  'frozen-quotes': {
    meaning: 'Quotes stop while time continues.',
    fields: { symbols: optional({ type: 'list' }, 'which symbols; by default all') },
  },
  'clock-offset': {
    meaning: "The server's clock is wrong from now on.",
    fields: { seconds: required(number, 'seconds ahead of the true server time; negative is behind') },
  },
  'failed-reads': {
    meaning: 'Reads fail.',
    fields: {
      methods: optional({ type: 'choices', of: readMethods }, 'which reads; by default all'),
      code: optional(number, 'last_error of the failure; by default -1'),
      failure: optional(choice('failed', 'timeout', 'busy'), 'how the gateway classifies it; by default failed'),
      times,
    },
  },
  disconnected: { meaning: 'The terminal cannot be reached: sessions drop, and connecting fails.', fields: {} },
  'logged-out': { meaning: 'The terminal is reachable but logged out, until the next login.', fields: {} },
  'login-refused': { meaning: 'The broker refuses logins, whatever the password.', fields: {} },
  'other-account': {
    meaning: 'The terminal is logged in to another account.',
    fields: { login: required(number, 'number of that account') },
  },
  'trading-off': {
    meaning: 'Trading is switched off: 10027 terminal, 10026 server, 10017 account, last_error -8 api.',
    fields: { by: required(choice('terminal', 'server', 'account', 'api'), 'where it is switched off') },
  },
  'server-lost': {
    meaning: 'The terminal loses its server: it shows what it showed before, and sends are answered 10031.',
    fields: { acts: optional({ type: 'flag' }, 'the server does what was asked all the same') },
  },
  'frozen-account': {
    meaning: 'The account and its lists stay as they are, on a terminal that says that it is connected.',
    fields: {},
  },
  'lists-not-loaded': {
    meaning: 'Lists are empty, or have the first half of their rows.',
    fields: {
      shows: required(choice('empty', 'half'), 'what the lists show'),
      ms: optional(number, 'milliseconds of market time; by default until it is cleared'),
      untilSession: optional({ type: 'flag' }, 'a new session ends it'),
      lists,
    },
  },
  'session-start': {
    meaning: 'After the start of each session, lists are not loaded for a while.',
    fields: {
      shows: required(choice('old', 'empty', 'parts'), 'rows of the last session, none, or a part that grows'),
      ms: required(number, 'milliseconds of market time'),
      lists,
    },
  },
  'late-lists': {
    meaning: 'Lists show the account as it was: what came and what went shows late, in each list by its own time.',
    fields: {
      positionsMs: optional(number, 'milliseconds of market time'),
      ordersMs: optional(number, 'the same for pending orders'),
      historyOrdersMs: optional(number, 'the same for done orders'),
      dealsMs: optional(number, 'the same for deals'),
      sums: optional(
        { type: 'flag' },
        'the terminal computes the sums of the account from the positions that it shows',
      ),
    },
  },
  'history-lacks': {
    meaning: 'The history lacks rows.',
    fields: { what: required(choice('orders', 'deals', 'all'), 'which rows') },
  },
  'history-gap': {
    meaning: 'The history lacks what was done right before the fault was set.',
    fields: { seconds: required(number, 'seconds before the fault was set') },
  },
  comments: {
    meaning: 'Lists show other comments than those that were sent.',
    fields: { to: required(text, 'empty, cut (to 16 characters), or the text of every comment') },
  },
  'trade-clock': {
    meaning: 'The times of orders, deals and positions are wrong.',
    fields: { seconds: required(number, 'seconds ahead of the true server time; negative is behind') },
  },
  reasons: {
    meaning: 'Orders, deals and positions have another reason.',
    fields: { reason: required(number, 'ORDER_REASON_*, DEAL_REASON_* or POSITION_REASON_* of all rows') },
  },
  'magic-zero': {
    meaning: 'Orders, deals and positions have magic 0.',
    fields: { fills: optional({ type: 'flag' }, 'only positions and deals of pending orders') },
  },
  levels: {
    meaning: 'The server rounds or moves the stop-loss and take-profit that it is sent.',
    fields: {
      points: required(count, 'points of the symbol to round to'),
      moved: optional({ type: 'flag' }, 'so many points higher, in place of rounded'),
    },
  },
  'replaced-orders': {
    meaning: 'A pending order that is changed gets another ticket: the server cancels the old one.',
    fields: {},
  },
  'float-noise': { meaning: 'Volumes and prices are 1e-9 too large.', fields: {} },
  'flickering-lists': {
    meaning: 'Each Nth read of a list answers without an error, and is empty or has half of its rows.',
    fields: {
      shows: required(choice('empty', 'half'), 'what such a read answers'),
      every: required(count, 'N'),
      lists,
    },
  },
  'late-costs': {
    meaning: 'Deals show commission and fee later, and the balance changes by them only then.',
    fields: { ms: required(number, 'milliseconds of market time') },
  },
  'late-position-ids': {
    meaning: 'Orders and deals of the history are of position 0 at first.',
    fields: { ms: required(number, 'milliseconds of market time') },
  },
  'late-profits': {
    meaning: 'Positions show an older price and profit than the account.',
    fields: { ms: required(number, 'milliseconds of market time') },
  },
  'late-symbols': {
    meaning:
      'After the start of a session, the terminal knows half of its symbols only; an order of another is answered 10013.',
    fields: { ms: required(number, 'milliseconds of market time') },
  },
  'rows-twice': { meaning: 'Lists have each row twice.', fields: {} },
  'rows-reversed': { meaning: 'Lists have their last row first.', fields: {} },
  'late-balance': {
    meaning: 'The balance counts a deal later than the lists show it.',
    fields: { ms: required(number, 'milliseconds of market time') },
  },
  'passing-rows': {
    meaning: 'After the start of a session, positions and orders have a row that never was.',
    fields: { ms: required(number, 'milliseconds of market time') },
  },
  'zero-sums': {
    meaning: 'The account shows 0 for some of its sums.',
    fields: { sums: optional({ type: 'choices', of: accountSums }, 'which sums; by default all') },
  },
};
