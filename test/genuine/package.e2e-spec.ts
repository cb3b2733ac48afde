import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import * as client from '@libs/terminal-client';
import * as packageBehaviour from '../contract/package-behaviour';
import * as fields from '../contract/record-fields';
import { describeWithGenuineParts, genuinePython } from './genuine-python';
import { describeWithPackage, pythonEnvironment } from '../python/python-package';
import { WinePrefix } from './wine-prefix';

type Numbers = Readonly<Record<string, number>>;

/** Our enumerations under the package's prefixes. */
const enumerations: Readonly<Record<string, Numbers>> = {
  TIMEFRAME: client.Timeframe,
  COPY_TICKS: client.CopyTicks,
  TICK_FLAG: client.TickFlag,
  BOOK_TYPE: client.BookType,
  POSITION_TYPE: client.PositionType,
  POSITION_REASON: onlyNames(client.TradeReason, 'CLIENT MOBILE WEB EXPERT'),
  ORDER_TYPE: client.OrderType,
  ORDER_STATE: client.OrderState,
  ORDER_FILLING: client.OrderFilling,
  ORDER_TIME: client.OrderTime,
  ORDER_REASON: onlyNames(client.TradeReason, 'CLIENT MOBILE WEB EXPERT SL TP SO'),
  DEAL_TYPE: client.DealType,
  DEAL_ENTRY: client.DealEntry,
  DEAL_REASON: client.TradeReason,
  TRADE_ACTION: client.TradeAction,
  SYMBOL_CHART_MODE: client.SymbolChartMode,
  SYMBOL_CALC_MODE: client.SymbolCalcMode,
  SYMBOL_TRADE_MODE: client.SymbolTradeMode,
  SYMBOL_TRADE_EXECUTION: client.SymbolExecution,
  SYMBOL_SWAP_MODE: client.SymbolSwapMode,
  SYMBOL_ORDERS: client.SymbolGtcMode,
  ACCOUNT_TRADE_MODE: client.AccountTradeMode,
  ACCOUNT_STOPOUT_MODE: client.StopoutMode,
  ACCOUNT_MARGIN_MODE: client.AccountMarginMode,
  TRADE_RETCODE: client.Retcode,
  RES: client.LastErrorCode,
};

/** Where the package has another word than its own MQL5 documentation, or a shorter one. */
const packageNames: Readonly<Record<string, string>> = {
  DEAL_TYPE_DIVIDEND: 'DEAL_DIVIDEND',
  DEAL_TYPE_DIVIDEND_FRANKED: 'DEAL_DIVIDEND_FRANKED',
  DEAL_TYPE_TAX: 'DEAL_TAX',
  SYMBOL_ORDERS_DAILY_EXCLUDING_STOPS: 'SYMBOL_ORDERS_DAILY_NO_STOPS',
  RES_OK: 'RES_S_OK',
};

/** In the documentation of MQL5, but not in the package. */
const notInPackage = ['TRADE_RETCODE_HEDGE_PROHIBITED', 'DEAL_REASON_CORPORATE_ACTION'];

/** In the package, but nothing that the port carries. */
const notOurs = /^(DAY_OF_WEEK|SYMBOL_OPTION_(MODE|RIGHT))_/;

const records: Readonly<Record<string, readonly string[]>> = {
  AccountInfo: fields.accountFields,
  TerminalInfo: fields.terminalFields,
  SymbolInfo: fields.symbolFields,
  Tick: fields.tickFields,
  BookInfo: fields.bookFields,
  TradePosition: fields.positionFields,
  TradeOrder: fields.orderFields,
  TradeDeal: fields.dealFields,
  TradeRequest: Object.keys(client.tradeRequest({ action: client.TradeAction.DEAL })).sort(),
  OrderCheckResult: [...fields.checkFields, 'request'].sort(),
  OrderSendResult: [...fields.sendFields, 'request'].sort(),
};

/** What a package, genuine or stand-in, says of itself. */
const program = `
import json
import MetaTrader5 as mt5
constants = {name: value for name, value in vars(mt5).items() if name.isupper() and isinstance(value, int)}
where = getattr(mt5, "_core", mt5)
kinds = ${JSON.stringify(Object.keys(records))}
# Whether a class binds it as a method, which it does not with what is built in.
functions = {name: hasattr(value, "__get__") for name, value in vars(mt5).items() if callable(value)
             and (name.lower() == name and name[0] != "_" or name in ("Buy", "Sell", "Close", "_RawOrder"))}
print(json.dumps({"version": mt5.__version__, "constants": constants, "functions": functions,
                  "records": {name: list(getattr(where, name).__match_args__) for name in kinds}}))
`;

interface Package {
  readonly version: string;
  readonly constants: Numbers;
  readonly functions: Readonly<Record<string, boolean>>;
  readonly records: Readonly<Record<string, readonly string[]>>;
}

function described(command: string, args: readonly string[], env: Readonly<Record<string, string>>): Package {
  const run = spawnSync(command, [...args, '-B', '-c', program], { encoding: 'utf8', env: { ...env } });
  if (run.status !== 0) throw new Error(run.stderr);
  return JSON.parse(run.stdout) as Package;
}

describeWithGenuineParts('The genuine MetaTrader5 package (needs wine, mvn, mingw-w64)', () => {
  let python: string;
  let prefix: WinePrefix;
  let genuine: Package;

  beforeAll(() => {
    python = genuinePython();
    prefix = new WinePrefix();
    genuine = described('wine', [python], prefix.env);
  });
  afterAll(() => prefix.remove());

  it('is the version that requirements.txt pins', () => {
    expect(genuine.version).toBe('5.0.6231');
  });

  it('has the numbers of our enumerations, retcodes and last_error codes, and no others', () => {
    const ours = Object.entries(enumerations).flatMap(([prefixOfName, numbers]) =>
      Object.entries(numbers).map(([name, value]) => {
        const error = prefixOfName === 'RES' && name !== 'OK' ? 'E_' : '';
        const full = `${prefixOfName}_${error}${name}`;
        return [packageNames[full] ?? full, value] as const;
      }),
    );
    const known = ours.filter(([name]) => !notInPackage.includes(name));
    const theirs = Object.entries(genuine.constants).filter(([name]) => !notOurs.test(name));
    expect(Object.fromEntries(known)).toEqual(Object.fromEntries(theirs));
    expect(known).toHaveLength(212);
    expect(notInPackage.filter((name) => name in genuine.constants)).toEqual([]);
  });

  it.each(Object.keys(records))('has the fields of our %s', (name) => {
    expect([...(genuine.records[name] ?? [])].sort()).toEqual(records[name]);
  });

  it('has its fields in the order of the stand-in package', () => {
    const standIn = described('python3', [], {
      PATH: process.env['PATH'] ?? '',
      PYTHONPATH: resolve(__dirname, '../fake-mt5'),
    });
    expect(standIn.records).toEqual(genuine.records);
  });

  describeWithPackage('beside the package in python/ (needs numpy, httpx and hatchling)', () => {
    it('has its functions, constants and records', () => {
      const ours = described('python3', [], pythonEnvironment('/nonexistent'));
      const equal = (part: 'constants' | 'functions' | 'records'): number => {
        expect({ [part]: ours[part] }).toEqual({ [part]: genuine[part] });
        return Object.keys(genuine[part]).length;
      };
      const counts = [equal('functions'), equal('constants'), equal('records')];
      process.stdout.write(`equal: ${counts[0]} functions, ${counts[1]} constants, ${counts[2]} records\n`);
      expect(ours.version).toBe(genuine.version);
    });

    it('answers calls with arguments of any kind as it does', () => {
      const calls = packageBehaviour.hostileCalls();
      const theirs = packageBehaviour.evaluate(['wine', python], prefix.env, calls);
      const ours = packageBehaviour.evaluate(['python3'], pythonEnvironment('/nonexistent'), calls);
      const answers = calls.map((call, at) => ({ call, theirs: theirs[at], ours: ours[at] }));
      expect(answers.filter((answer) => !isDeepStrictEqual(answer.theirs, answer.ours))).toEqual([]);
      process.stdout.write(`equal: the answers of ${calls.length} calls\n`);
    });
  });

  it('does without a terminal what the stand-in package does', () => {
    const cases = [
      ...packageBehaviour.withoutTerminal,
      ...packageBehaviour.argumentForms,
      ...packageBehaviour.refusedArguments.map(([, expression, message]) => [expression, null, [-2, message]] as const),
      ...packageBehaviour.numbersOutOfRange.map(
        ([expression, code]) => [expression, 'SystemError', [code, expect.any(String)]] as const,
      ),
      ...packageBehaviour.numbersInRange.map(
        (expression) => [expression, null, [-10_004, 'No IPC connection']] as const,
      ),
    ];
    const expressions = cases.map(([expression]) => expression);
    const found = packageBehaviour.evaluate(['wine', python], prefix.env, expressions);
    const named = found.map(([value, lastError], at) => [expressions[at], value, lastError]);
    expect(named).toEqual(cases);
  });
});

function onlyNames(numbers: Numbers, names: string): Numbers {
  return Object.fromEntries(Object.entries(numbers).filter(([name]) => names.split(' ').includes(name)));
}
