import { parseArguments, type FlagKind, type ParsedArguments } from '@libs/command-line';
import { mostLogLines } from '../logs/log-line';

/** A flag of a command. */
export interface Flag<Kind extends FlagKind = FlagKind> {
  readonly kind: Kind;
  /** What stands for its value in the help; empty for a switch. */
  readonly value: string;
  /** Null: the line of another flag has it. Undefined: the name says it. */
  readonly help: string | null | undefined;
  /** Its one-letter form. */
  readonly short?: string;
}

type FlagTable = Readonly<Record<string, Flag>>;

/** A command: what it takes, and its help. Lines of the help are broken by hand. */
export interface Command {
  /** Positional arguments, in order; more are refused, but the command refuses a missing one itself. Null if it checks all of them. */
  readonly words: readonly string[] | null;
  /** The words as its help shows them, if they are written in another way. */
  readonly call?: string;
  readonly purpose: string;
  /** Lines before those of the flags, each with its help. */
  readonly forms?: readonly (readonly [form: string, help: string])[];
  /** Commands with flags of the same names and meaning: its help refers to theirs. */
  readonly like?: readonly string[];
  readonly flags: FlagTable;
  readonly subcommands?: Readonly<Record<string, Command>>;
}

/** Kinds of the values of flags, as the command line is read by them. */
export type Kinds<Table extends FlagTable> = { readonly [Name in keyof Table]: Table[Name]['kind'] };

export function kindsOf<Table extends FlagTable>(table: Table): Kinds<Table> {
  return Object.fromEntries(Object.entries(table).map(([name, { kind }]) => [name, kind])) as Kinds<Table>;
}

/** Reads the arguments of a command. @throws UsageError */
export function argumentsOf<const C extends Pick<Command, 'words' | 'flags'>>(
  { words, flags }: C,
  args: readonly string[],
): ParsedArguments<Kinds<C['flags']>> {
  const table: FlagTable = flags;
  const shorts = Object.entries(table).flatMap(([name, { short }]): [string, string][] =>
    short ? [[short, name]] : [],
  );
  return parseArguments(args, kindsOf<C['flags']>(flags), words, Object.fromEntries(shorts));
}

const flag =
  <Kind extends FlagKind>(kind: Kind) =>
  (value: string, help?: string | null): Flag<Kind> => ({ kind, value, help });
const [text, amount, ticket, port] = [flag('text'), flag('amount'), flag('ticket'), flag('port')];
const toggle = (help?: string): Flag<'switch'> => flag('switch')('', help);

const configFile = text('FILE', 'configuration (daemon.yaml)');
const stateDir = text('DIR');
const json = toggle();
/** Of the commands that talk to the running daemon of a state folder. */
const askingFlags = { 'state-dir': stateDir, 'control-host': text('HOST'), json };
const reason = text('TEXT', 'for the log and the status (by the operator)');
const reportJson = toggle('print the report as JSON instead of tables');
const tradesCsv = text('FILE', 'write the closed trades as CSV');
const store = text('DIR', 'folder of the files (prices)');

export const mostDrawn = 100_000;
/** Of the commands that draw other orders of the trades. */
export const drawnFlags = {
  'monte-carlo': flag({ upTo: mostDrawn })(
    'N',
    'draw N other orders of the closed trades, and state how deep they fell',
  ),
  seed: flag({ upTo: 4_294_967_295 })('S', 'that draws them (1)'),
  drawdown: text('LIST', 'drawdowns in percent, such as 10,20: the chance of each is printed (10,20,30,50)'),
};

/** Of the commands that examine a live strategy. */
const liveFlags = {
  days: amount('N', 'of the last N days (30)'),
  from: text('TIME --to TIME', 'instead of --days: UTC; --to is exclusive'),
  to: text('TIME', null),
  config: configFile,
  'state-dir': text('DIR', "the daemon's records, of a running daemon or of one that is down"),
  'control-host': askingFlags['control-host'],
};

/** What a backtest assumes of the broker. */
const brokerFlags = {
  'limit-fill': text(
    'RULE',
    'what a limit or take-profit needs inside a bar: through (default), a price one point\nbeyond it; touch, its own price',
  ),
  commission: text('N', 'money for each lot of each deal (that of the symbols)'),
  swap: text('POINTS', 'a night; or LONG:SHORT, as in --swap=-6.5:1.2 (those of the symbols)'),
  spread: text('POINTS', 'between bid and ask, in place of the recorded asks'),
  slippage: text('POINTS', 'by which market orders, stops and stop-outs fill worse (0)'),
  latency: text('MS', 'market time from a decision to the broker (0)'),
  symbols: text('FILE', 'specifications of the symbols, as daemon data spec writes them'),
};

/** What a backtest runs on. */
const marketFlags = {
  data: text(
    'FILES',
    'price files of one or more symbols: bars as BID.csv,ASK.csv, or BID.csv with --spread, or\nticks; SYMBOL=FILE sets the symbol',
  ),
  symbol: text('NAME', 'symbol of the stream main (that of the first file)'),
  timeframe: text('M1', 'timeframe of the stream main; by default that in the name of the first price file, or M1'),
  streams: text('LIST', 'instead of --symbol and --timeframe: main=EURUSD@M1,slow=EURUSD@H1'),
  params: text('JSON', `'{"fast": 12}'`),
  capital: amount('N', '10000'),
  config: text(
    'FILE --strategy NAME',
    'instead of FILE: take streams, capital, params and limits from the configuration',
  ),
  strategy: text('NAME', null),
  from: text('TIME --to TIME', 'UTC; --to is exclusive'),
  to: text('TIME', null),
  ...brokerFlags,
  'accept-faulty': toggle('skip faulty rows and raise asks below the bid, instead of refusing the files'),
};

/** Of a backtest of one strategy. */
export const backtestFlags = {
  ...marketFlags,
  html: text('FILE', 'write the report as one HTML page'),
  out: text('FILE', 'write the report, fills, equity and logs as JSON'),
  logs: toggle("print the strategy's log lines to stderr"),
  json: reportJson,
};

const ofStrategy = ['NAME'];
const none: FlagTable = {};

/** All commands: what they take, their help and their completion follow from this table. */
export const commands = {
  start: {
    words: [],
    call: '[start]',
    purpose: 'run until SIGTERM or Ctrl-C; SIGHUP reloads the configuration',
    flags: {
      config: configFile,
      'state-dir': text('DIR', 'state and control.port (DAEMON_STATE_DIR)'),
      'control-port': port('N', '0 (default) picks a free port'),
      'control-host': text('HOST', '127.0.0.1'),
    },
  },
  check: {
    words: [],
    purpose: 'read the configuration and load every strategy',
    flags: {
      config: configFile,
      online: toggle("ask the gateways for their accounts and the streams' symbols"),
      json,
    },
  },
  list: { words: [], purpose: 'list strategies and portfolios', flags: askingFlags },
  status: {
    words: ['[NAME]'],
    purpose: 'show positions, results and state of all strategies or of one',
    flags: askingFlags,
  },
  positions: {
    words: ['[NAME]'],
    purpose: 'list the open positions: side, stops, trailing stop',
    flags: askingFlags,
  },
  logs: {
    words: ofStrategy,
    purpose: "print the last lines of a strategy's log",
    flags: {
      lines: flag({ upTo: mostLogLines })('N', `maximum number of lines, up to ${mostLogLines} (200)`),
      level: text('LEVEL', 'lowest level: debug, info, warning or error'),
      since: text('TIME', 'print the first lines after this time instead of the last'),
      follow: { ...toggle('continue to print new lines'), short: 'f' },
      ...askingFlags,
    },
  },
  latency: { words: [], purpose: 'show the latency of each stage', flags: askingFlags },
  halt: {
    words: ofStrategy,
    purpose: 'halt a strategy or portfolio: no entries, pending orders are cancelled, exits pass',
    flags: { reason, ...askingFlags },
  },
  flatten: {
    words: ofStrategy,
    purpose: 'halt a strategy or portfolio, close its positions and cancel its pending orders',
    flags: {
      reason,
      wait: amount('SECONDS', 'how long to wait until nothing is open (30); the daemon continues after that'),
      ...askingFlags,
    },
  },
  resume: { words: ofStrategy, purpose: 'end the halt of a strategy or portfolio', flags: askingFlags },
  reload: {
    words: [],
    purpose: 'apply the current configuration file, like SIGHUP; exit code 1 if there are problems',
    flags: askingFlags,
  },
  settle: {
    words: ['NAME', 'KEY'],
    purpose: 'state the outcome of a request that the daemon cannot find out',
    flags: {
      order: ticket('TICKET', 'the request became this order at the broker'),
      undone: toggle('the request was never executed'),
      ...askingFlags,
    },
  },
  trades: {
    words: ofStrategy,
    purpose: "list the closed and open trades of a live strategy or portfolio, from the broker's history",
    flags: { ...liveFlags, csv: text('FILE', 'write the trades as CSV'), json },
  },
  report: {
    words: ofStrategy,
    purpose: 'report what a live strategy or portfolio did, as backtest does',
    like: ['trades'],
    flags: {
      ...liveFlags,
      ...drawnFlags,
      html: backtestFlags.html,
      out: text('FILE', 'write the report and the equity as JSON'),
      csv: tradesCsv,
      json: reportJson,
    },
  },
  state: {
    words: ['dump or move'],
    call: 'COMMAND',
    purpose: 'print the stored state, or move it',
    subcommands: {
      dump: { words: [], purpose: 'print it as JSON', flags: none },
      move: {
        words: [],
        purpose: 'move that of a stopped daemon into the database of a fleet (DAEMON_DATABASE_URL)',
        flags: { 'dry-run': toggle('show what it would move, and what prevents it') },
      },
    },
    flags: askingFlags,
  },
  hosts: {
    words: [],
    purpose: 'list the hosts of a fleet and where its units run (DAEMON_DATABASE_URL)',
    flags: { json },
  },
  apply: {
    words: ['FILE'],
    purpose: 'store a configuration for the hosts of a fleet that have none of their own',
    flags: { 'dry-run': toggle('check it and show what it changes') },
  },
  drain: {
    words: ['[HOST]'],
    purpose: 'move the units of a host to other hosts; it takes none until it is restarted',
    flags: {
      undo: toggle('take units again'),
      wait: amount('SECONDS', 'how long to wait until it has none (30); the host continues after that'),
    },
  },
  move: { words: ['UNIT', 'HOST'], purpose: 'move a strategy or portfolio to another host', flags: none },
  new: {
    words: ['FOLDER'],
    purpose: 'create a folder with a strategy, its test and a day of generated prices',
    flags: none,
  },
  backtest: {
    words: null,
    call: 'FILE',
    purpose: 'run a strategy over recorded prices and report',
    flags: {
      ...marketFlags,
      portfolio: text('NAME', 'instead of --strategy: all strategies of a portfolio on one account, under its limits'),
      ...drawnFlags,
      html: backtestFlags.html,
      out: backtestFlags.out,
      csv: tradesCsv,
      logs: backtestFlags.logs,
      json: reportJson,
    },
  },
  compare: {
    words: ['NAME or FIRST.json', 'SECOND.json'],
    call: 'NAME',
    purpose: 'compare a live strategy or portfolio with a backtest of the same days, and explain the\ndifference',
    forms: [
      ['FIRST SECOND', 'instead of NAME: compare two reports of backtest --out, their settings, figures and trades'],
    ],
    like: ['trades', 'backtest'],
    flags: {
      ...liveFlags,
      days: amount('N', 'of the last N days (5)'),
      ticks: toggle("replay the gateway's ticks instead of its bars"),
      ...brokerFlags,
      json,
    },
  },
  optimize: {
    words: null,
    call: 'FILE',
    purpose: 'backtest many sets of parameters and rank them',
    like: ['backtest'],
    flags: {
      ...marketFlags,
      grid: text('SETS', 'fast=5:50:5,slow=20:200:10,mode=a|b: values of the parameters'),
      sets: text(
        'FILE',
        'instead of --grid: sets as lines of JSON, {"fast": 12}, run as they come; - for stdin. Prints a\nline of JSON for each set, and one for the search',
      ),
      random: text('N --seed S', 'run N sets of the grid, drawn at random by the seed (1)'),
      seed: text('S', null),
      where: text('CONDITIONS', 'fast<slow,slow>=2*fast+5: run only the sets that meet them'),
      metric: text(
        'NAME',
        'figure that ranks the sets: returnPct (default), sharpe, cagrPct, sortino, calmar, recovery\n(change of the equity / max drawdown), maxDrawdown, maxDrawdownPct; of closed trades alone:\nnetProfit, sqn, profitFactor, expectancy, winRatePct',
      ),
      'min-trades': text('N', 'do not rank sets with fewer closed trades (0)'),
      'walk-forward': text('6m/1m', 'choose the best set on 6 months, test it on the next month, and so on; d, w or m'),
      jobs: text('N', 'sets that run at the same time (one per processor)'),
      results: text('FILE', 'write each outcome as a line of JSON as soon as it is known'),
      resume: toggle('continue the search of --results'),
      top: text('N', 'rows of the table, each confirmed in the full engine (20)'),
      'no-kernel': toggle('run every set in the full engine'),
      csv: text('FILE', 'write all sets as CSV'),
      html: text('FILE', 'write heat maps, stability and the out-of-sample curve as one HTML page'),
      json: toggle('print the report as JSON instead of tables'),
    },
  },
  data: {
    words: null,
    call: 'COMMAND',
    purpose: 'check price files; make them from other files or from a gateway',
    flags: none,
    subcommands: {
      check: {
        words: null,
        call: 'FILES',
        purpose: 'count faulty and doubtful rows; exit code 1 when a backtest would refuse a file',
        flags: {
          spike: text(
            'PERCENT',
            'by which a price leaves those before and after it (1; for bars times the root of their minutes)',
          ),
          flat: text('MINUTES', 'in a row without any change (60)'),
          gap: text('MINUTES', 'without a price (60)'),
          weekends: toggle('the symbols trade on weekends'),
          strict: toggle('exit code 1 for doubtful rows, too'),
          json,
        },
      },
      export: {
        words: null,
        call: 'FILES',
        purpose: 'write price files as Parquet files, for pandas, polars, DuckDB and others',
        flags: { store, json },
      },
      import: {
        words: null,
        call: 'FILES',
        purpose:
          'make price files of bars of any timeframe, or of ticks: files of MetaTrader 5, HistData,\nDukascopy and TrueFX, or bars in other CSV or in Parquet; also .gz or .zip',
        flags: {
          symbol: text('NAME'),
          digits: text('N', "decimal places of the symbol's prices"),
          zone: text('ZONE', 'time zone of times without an offset, such as UTC, Europe/Athens or\nAmerica/New_York+7'),
          columns: text(
            'NAMES',
            'columns of a file without a header, or in place of those of the header, such as\ndate,time,open,high,low,close,volume',
          ),
          ignore: text('NAMES', 'columns to leave out'),
          'decimal-comma': toggle('prices have a decimal comma: 1,09512'),
          'date-format': text('FORM', 'form of the times, such as "DD/MM/YYYY HH:mm"'),
          'repeated-hour': text(
            'first|second|skip|by-order',
            'passes of an hour that the zone repeats, for times that are in both; without it they are\nrefused, as are times that the zone leaves out',
          ),
          round: toggle('round prices with more decimal places than --digits'),
          sort: toggle('the rows are in another order than that of their times'),
          asks: text('FILES', 'asks of the same bars, where FILES are bids'),
          spread: text('POINTS', 'between bid and ask, for bars without a column spread and without --asks'),
          'spread-in': text('points|price', 'unit of a column spread (points)'),
          store,
          json,
        },
      },
      pull: {
        words: ['GATEWAY:SYMBOL@M1'],
        purpose: 'read prices from a gateway of the configuration into files; continues what is there',
        flags: {
          from: text('TIME --to TIME', 'UTC; --to is exclusive (the last complete minute)'),
          to: text('TIME', null),
          store,
          asks: text(
            'ticks|spread',
            'asks of bars: of their ticks where the broker has all of a bar, else bid plus spread; or\nalways bid plus spread, which reads no ticks (as the store has them; ticks for a new one)',
          ),
          ticks: toggle('ticks instead of bars: GATEWAY:SYMBOL'),
          config: configFile,
          json,
        },
      },
      spec: {
        words: ['GATEWAY:SYMBOL[,SYMBOL]'],
        purpose: 'write the specifications of symbols for backtest --symbols',
        flags: { out: text('FILE', 'instead of stdout'), config: configFile },
      },
    },
  },
  schema: {
    words: [],
    purpose: 'print the JSON Schema of the configuration file, for an editor',
    flags: none,
  },
  completion: {
    words: null,
    call: 'SHELL',
    purpose: 'print the completion of commands and flags for bash, zsh or fish',
    flags: none,
  },
} as const satisfies Readonly<Record<string, Command>>;

export type CommandName = keyof typeof commands;
