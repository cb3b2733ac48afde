import { createRequire } from 'node:module';
import type * as Account from './account.command';
import type * as Check from './check.command';
import type { CommandRun, FlagName } from './command';
import type * as Control from './control.commands';
import type * as Lists from './list.commands';
import type * as Notifications from './notifications.command';
import type * as Reconcile from './reconcile.command';
import type * as Request from './request.command';
import type * as Signals from './signals.command';
import type * as Status from './status.command';
import type * as Watch from './watch.command';

/** A command that asks the gateway: arguments, help and code. */
export interface Command {
  /** Positional arguments, in order. */
  readonly words: readonly string[];
  /** Its flags besides `--url`, `--key-file` and `--json`, with their help. */
  readonly flags: Readonly<Partial<Record<FlagName, string>>>;
  readonly purpose: string;
  readonly load: () => CommandRun;
}

const load = createRequire(__filename);
const magic = 'N          only of this strategy';
const symbol = 'NAME      only of this symbol';

export const commands: Readonly<Record<string, Command>> = {
  status: {
    words: [],
    flags: {},
    purpose: 'show the state of the gateway and its terminal',
    load: () => (load('./status.command') as typeof Status).status,
  },
  account: {
    words: [],
    flags: {},
    purpose: 'show balance, equity and margin',
    load: () => (load('./account.command') as typeof Account).account,
  },
  equity: {
    words: [],
    flags: { hours: 'N          of the last N hours, up to 744 (24)' },
    purpose: 'list balance and equity as they were recorded, one row for each hour',
    load: () => (load('./account.command') as typeof Account).equity,
  },
  positions: {
    words: [],
    flags: { magic, symbol },
    purpose: 'list the open positions',
    load: () => (load('./list.commands') as typeof Lists).positions,
  },
  orders: {
    words: [],
    flags: { magic, symbol },
    purpose: 'list the pending orders',
    load: () => (load('./list.commands') as typeof Lists).orders,
  },
  kill: {
    words: [],
    flags: { flatten: '          then cancel every order and close every position' },
    purpose: 'engage the kill switch: trading is halted',
    load: () => (load('./control.commands') as typeof Control).kill,
  },
  release: {
    words: [],
    flags: {},
    purpose: 'release the kill switch: trading resumes',
    load: () => (load('./control.commands') as typeof Control).release,
  },
  reconcile: {
    words: [],
    flags: { magic, hours: 'N          deals of the last N hours, up to 744 (24)' },
    purpose: "compare the broker's books with the journal",
    load: () => (load('./reconcile.command') as typeof Reconcile).reconcile,
  },
  request: {
    words: ['KEY'],
    flags: { 'audit-file': 'FILE the audit log (ORDER_AUDIT_FILE); rotated files are read too' },
    purpose: 'show all that is known about an idempotency key',
    load: () => (load('./request.command') as typeof Request).request,
  },
  notifications: {
    words: ['[retry|drop', 'CHANNEL', '[ID]]'],
    flags: {},
    purpose: 'list the notifications that were set aside; send them again or drop them',
    load: () => (load('./notifications.command') as typeof Notifications).notifications,
  },
  signals: {
    words: [],
    flags: { source: 'NAME     only of this source' },
    purpose: 'list the newest alerts of TradingView and other sources, and what became of each',
    load: () => (load('./signals.command') as typeof Signals).signals,
  },
  watch: {
    words: [],
    flags: { magic, since: 'SEQ        start after this event instead of the next one' },
    purpose: 'follow the trade events until Ctrl-C',
    load: () => (load('./watch.command') as typeof Watch).watch,
  },
  check: {
    words: [],
    flags: {},
    purpose: 'check for anything that needs an operator, for cron and monitoring',
    load: () => (load('./check.command') as typeof Check).check,
  },
};

/** The flags of every command. */
const commonFlags = ['url', 'key-file', 'json'] as const satisfies readonly FlagName[];

export function flagsOf({ flags }: Command): readonly FlagName[] {
  return [...(Object.keys(flags) as FlagName[]), ...commonFlags];
}
