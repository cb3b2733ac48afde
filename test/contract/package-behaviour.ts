import { spawnSync } from 'node:child_process';

const noConnection = [-10_004, 'No IPC connection'];

/**
 * What the MetaTrader5 package 5.0.6231 does without a terminal. The stand-in is held to it by test/contract, the
 * genuine package by test/genuine. Each: a Python expression, its value, and last_error after it.
 */
export const withoutTerminal: readonly (readonly [string, unknown, unknown])[] = [
  ['mt5.last_error()', [0, ''], [0, '']],
  ['mt5.initialize()', false, [-10_003, 'IPC initialize failed, MetaTrader 5 x64 not found']],
  ['mt5.initialize("x.exe")', false, [-10_003, "IPC initialize failed, Process create failed 'x.exe'"]],
  [
    'mt5.symbols_get()',
    null,
    [-5, 'Terminal: Incompatible versions, please install the latest version of Terminal and Python module'],
  ],
  ['mt5.version()', [0, 0, ''], noConnection],
  ['mt5.market_book_add("EURUSD")', false, [1, 'Success']],
  ['mt5.account_info()', null, noConnection],
  ['mt5.order_send({"action": 1, "symbol": "EURUSD", "volume": 0.1})', null, noConnection],
  ['mt5.shutdown()', true, [1, 'Success']],
];

/** Arguments that the package refuses with -2 before it looks for a terminal: what, expression, text of last_error. */
export const refusedArguments: readonly (readonly [string, string, string])[] = [
  ['both forms together', 'mt5.order_send({}, action=1)', 'Unnamed arguments not allowed'],
  ['nothing', 'mt5.order_send()', 'Invalid number of arguments'],
  ['a comment of 30 units', 'mt5.order_send(comment="x" * 30)', 'Invalid "comment" argument'],
  ['15 characters of two units each', 'mt5.order_send(comment="\\U0001F600" * 15)', 'Invalid "comment" argument'],
  ['a symbol of 30 units', 'mt5.order_check({"symbol": "x" * 30})', 'Invalid "symbol" argument'],
  ['a whole number for a float', 'mt5.order_send(volume=1)', 'Invalid "volume" argument'],
  ['True for a float', 'mt5.order_send(price=True)', 'Invalid "price" argument'],
  ['a float for a whole number', 'mt5.order_send(magic=1.0)', 'Invalid "magic" argument'],
  ['an unnamed filter', 'mt5.positions_get("EURUSD")', 'Unnamed arguments not allowed'],
  ['named dates', 'mt5.history_deals_get(date_from=1, date_to=2)', 'Invalid arguments'],
];

/** Whole numbers that the package cannot hold: it raises SystemError. With the code of last_error after it. */
export const numbersOutOfRange: readonly (readonly [string, number])[] = [
  ['mt5.order_send({"magic": -1})', -2],
  ['mt5.order_send({"action": 2 ** 32})', -2],
  ['mt5.order_send({"expiration": 2 ** 63})', -2],
  ['mt5.positions_get(ticket=-1)', -2],
  ['mt5.copy_rates_from_pos("EURUSD", 1, 0, 2 ** 31)', -2],
  ['mt5.login(-1)', -2],
  // It looks for the terminal before it reads dates, which have to fit 32 bits: they end in January 2038.
  ['mt5.copy_rates_range("EURUSD", 1, 0, 2 ** 31)', -10_004],
  ['mt5.copy_ticks_range("EURUSD", 0, 2 ** 31, 1)', -10_004],
  ['mt5.history_deals_get(0, 2 ** 31)', -10_004],
];

/** The largest whole numbers that the package takes: without a terminal, last_error is -10004. */
export const numbersInRange: readonly string[] = [
  'mt5.order_send({"magic": 2 ** 64 - 1, "position": 2 ** 64 - 1, "deviation": 2 ** 64 - 1})',
  'mt5.order_send({"action": 2 ** 32 - 1, "type": 2 ** 32 - 1, "expiration": -1})',
  'mt5.positions_get(ticket=2 ** 64 - 1)',
  'mt5.copy_rates_from_pos("EURUSD", 1, -1, -1)',
  'mt5.copy_rates_range("EURUSD", 1, 0, 2 ** 31 - 1)',
  'mt5.history_deals_get(0, 2 ** 31 - 1)',
];

const invalid = [-2, 'Invalid arguments'];

/**
 * How the genuine package takes arguments, which the package in python/ does as well. Each: a Python expression, its value, and
 * last_error after it, in a fresh process: an exception may leave it as it was.
 */
export const argumentForms: readonly (readonly [string, unknown, unknown])[] = [
  ['mt5.symbols_get(5)', false, [-2, 'Invalid 1st unnamed argument']],
  ['mt5.symbols_get("a", "b")', false, [-2, 'Invalid number of arguments']],
  ['mt5.symbols_get(group=5)', false, [-2, 'Invalid "group" argument']],
  ['mt5.symbol_info()', null, invalid],
  ['mt5.symbol_info(5)', null, invalid],
  ['mt5.symbol_info("a", "b")', null, invalid],
  ['mt5.symbol_select()', false, invalid],
  ['mt5.symbol_select("EURUSD", 1)', false, noConnection],
  ['mt5.order_calc_margin(0, "E", 1, 1)', null, noConnection],
  ['mt5.order_calc_margin(0, "E", 0.1)', null, invalid],
  ['mt5.order_calc_margin(0.0, "E", 0.1, 1.0)', 'SystemError', invalid],
  ['mt5.copy_rates_from_pos("E", 1, 0)', null, invalid],
  ['mt5.copy_rates_from("E", 1, "x", 5)', null, invalid],
  ['mt5.copy_rates_from("E", 1, 1.5, 5)', null, noConnection],
  ['mt5.copy_rates_from("E", 1, None, 5)', null, invalid],
  ['mt5.copy_rates_from("E", 1, 1, 5.0)', 'SystemError', invalid],
  ['mt5.history_deals_total()', null, invalid],
  ['mt5.history_deals_get()', null, invalid],
  ['mt5.history_deals_get(1, 2, group=5)', null, [-2, 'Invalid "group" argument']],
  ['mt5.history_deals_get(1, 2, "*")', null, invalid],
  ['mt5.history_deals_get(ticket="x")', null, [-2, 'Invalid "ticket" argument']],
  ['mt5.history_deals_get(position="x")', null, [-2, 'Invalid "position" argument']],
  ['mt5.positions_get(symbol=5)', null, [-2, 'Invalid "symbol" argument']],
  ['mt5.positions_get(ticket=1.0)', null, [-2, 'Invalid "ticket" argument']],
  ['mt5.initialize(5)', false, [-2, 'Invalid 1st unnamed argument']],
  ['mt5.initialize("a", "b")', false, [-2, 'Invalid number of arguments']],
  ['mt5.initialize(login="x")', false, [-2, 'Invalid "login" argument']],
  ['mt5.initialize(timeout="x")', false, [-2, 'Invalid "timeout" argument']],
  ['mt5.login()', false, [-2, 'Invalid "login" argument']],
  ['mt5.login("x")', false, [-2, 'Invalid 1st unnamed argument']],
  ['mt5.login(5, timeout=1.0)', false, [-2, 'Invalid "timeout" argument']],
  ['mt5.market_book_add(5)', null, invalid],
  ['mt5.order_send(None)', null, invalid],
  ['mt5.order_send({"sl": None})', null, [-2, 'Invalid "sl" argument']],
  ...[
    ...['mt5.symbol_info(symbol="EURUSD")', 'mt5.symbol_select("EURUSD", enable=True)'],
    ...[
      'mt5.order_calc_margin(action=0, symbol="E", volume=0.1, price=1.0)',
      'mt5.copy_ticks_from("E", 1, 5, flags=1)',
    ],
    ...['mt5.history_deals_total(date_from=1, date_to=2)', 'mt5.positions_total(1)', 'mt5.account_info(x=1)'],
    ...['mt5.last_error(1)', 'mt5.shutdown(1)', 'mt5.version(1)', 'mt5.Tick((1, 2))'],
  ].map((expression) => [`[mt5.market_book_add("E"), ${expression}]`, 'TypeError', [1, 'Success']] as const),
];

/** Arguments of every kind, right and wrong, as Python writes them. */
const anything: readonly string[] = [
  ...['None', 'True', '0', '1', '-1', '2**31', '2**32', '2**63', '2**64', '-2**40', '1.0', '1.5', '0.0', '1e300'],
  ...['float("nan")', 'float("inf")', '"EURUSD"', '""', '"x" * 29', '"x" * 30', '"x" * 256', 'b"EURUSD"', '"\\ud800"'],
  ...['"E\\0U"', '[]', '{}', '()', 'object()', '1j', 'np.int64(5)', 'np.float64(1.5)', 'np.float32(1)'],
  ...['np.str_("EURUSD")', 'np.datetime64("2024-01-01")', 'datetime.date(2024, 1, 1)', 'datetime.timedelta(1)'],
  ...['datetime.datetime(2024, 1, 1)', 'datetime.datetime(2024, 1, 1, tzinfo=datetime.timezone.utc)'],
  ...['datetime.datetime(9999, 12, 30, tzinfo=datetime.timezone.utc)', 'datetime.datetime.min'],
];

/** Functions whose arguments have no names, with right ones. */
const unnamed: readonly (readonly [string, ...string[]])[] = [
  ...['symbol_info', 'symbol_info_tick', 'market_book_add', 'market_book_get', 'market_book_release'].map(
    (name) => [name, '"E"'] as const,
  ),
  ['symbol_select', '"E"', 'True'],
  ['copy_rates_from', '"E"', '1', '1', '5'],
  ['copy_rates_from_pos', '"E"', '1', '0', '5'],
  ['copy_rates_range', '"E"', '1', '1', '2'],
  ['copy_ticks_from', '"E"', '1', '5', '1'],
  ['copy_ticks_range', '"E"', '1', '2', '1'],
  ...['orders_total', 'deals_total', 'orders_get', 'deals_get'].map((name) => [`history_${name}`, '1', '2'] as const),
  ['order_calc_margin', '0', '"E"', '0.1', '1.0'],
  ['order_calc_profit', '0', '"E"', '0.1', '1.0', '1.1'],
  ...['version', 'shutdown', 'account_info', 'terminal_info', 'symbols_total', 'orders_total'].map(
    (name) => [name] as const,
  ),
];

/** Of functions whose arguments have names, one more of which may be given as well. */
const named: readonly (readonly [string, readonly string[], readonly string[]])[] = [
  ...['positions_get(', 'orders_get('].map(
    (call) => [call, ['symbol', 'group', 'ticket', 'other'], ['', 'symbol="E"', 'ticket=5', 'group=5']] as const,
  ),
  ...['history_orders_get(', 'history_deals_get('].flatMap((call) =>
    [call, `${call}1, 2, `, `${call}1, `].map(
      (start) => [start, ['group', 'ticket', 'position', 'other'], ['', 'ticket=5', 'position="x"']] as const,
    ),
  ),
  ['symbols_get(', ['group', 'other'], ['']],
  // Each is refused, so that neither looks for a terminal or a gateway.
  [
    'initialize(',
    ['login', 'server', 'password', 'timeout', 'portable', 'path'],
    ['login="x"', 'server=5', 'timeout="x"'],
  ],
  ['login(5, ', ['login', 'server', 'password', 'timeout', 'other'], ['server=5', 'password=5', 'timeout="x"']],
  ['login(', ['login'], ['server=5']],
  ...['order_send(', 'order_check('].map(
    (call) =>
      [
        call,
        [
          ...['action', 'magic', 'order', 'symbol', 'volume', 'price', 'stoplimit', 'sl', 'tp', 'deviation', 'type'],
          ...['type_filling', 'type_time', 'expiration', 'comment', 'position', 'position_by', 'other'],
        ],
        ['', 'tp="x"'],
      ] as const,
  ),
];

/** Calls with every argument replaced by one of any kind. In the order of the list, each leaves the last_error of the next one. */
export function hostileCalls(): string[] {
  const calls = [
    ...unnamed.flatMap(([name, ...right]) => [
      ...[...right.keys(), right.length].map((count) => `${name}(${right.slice(0, count).join(', ')})`),
      `${name}(${[...right, '1'].join(', ')})`,
      ...right.flatMap((_, at) => anything.map((value) => `${name}(${right.with(at, value).join(', ')})`)),
    ]),
    ...named.flatMap(([call, names, others]) =>
      names.flatMap((name) =>
        others
          .filter((other) => !other.startsWith(`${name}=`))
          .flatMap((other) => anything.map((value) => `${call}${name}=${value}${other && `, ${other}`})`)),
      ),
    ),
    ...['order_send', 'order_check', 'symbols_get', 'positions_get'].flatMap((name) =>
      anything.map((value) => `${name}(${value})`),
    ),
    ...['1: 2', '"action": 1, "other": object()', '"sl": "x", "action": -1', '"comment": "\\U0001F600" * 14'].map(
      (fields) => `order_send({${fields}})`,
    ),
  ];
  return calls.map((call) => `mt5.${call}`);
}

const program = `
import datetime, json, sys
import MetaTrader5 as mt5
try:
    import numpy as np
except ImportError:
    pass
def value(expression):
    try:
        return eval(expression)
    except Exception as error:
        return type(error).__name__
print(json.dumps([[value(expression), mt5.last_error()] for expression in json.load(sys.stdin)], default=repr))
`;

/** Evaluates each expression in turn; gives its value, or the name of what it raised, and the last_error after it. */
export function evaluate(
  python: readonly [string, ...string[]],
  env: Readonly<Record<string, string | undefined>>,
  expressions: readonly string[],
): [unknown, unknown][] {
  const [command, ...args] = python;
  const run = spawnSync(command, [...args, '-B', '-c', program], {
    ...{ encoding: 'utf8', env: { ...env }, maxBuffer: 64 * 2 ** 20 },
    input: JSON.stringify(expressions),
  });
  if (run.status !== 0) throw new Error(run.stderr);
  return JSON.parse(run.stdout) as [unknown, unknown][];
}
