import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { VirtualClock } from '@libs/clock';
import { ApiError } from '@libs/envelope';
import { SimulatedDisk } from '@libs/simulated-disk';
import { PositionType, subtractVolume } from '@libs/terminal-client';
import { alertFields } from './alert-fields';
import { decideSignal, type Step } from './decide-signal';
import { readSignal, type AlertRules } from './read-signal';
import { readSignalsFile, SignalsFileError } from './read-signals-file';
import { addressList, senderAddress } from './sender-address';
import { sides, verbs, type Level, type Signal } from './signal';
import type { SignalSource } from './signal-source';
import type { OwnPosition, SignalFacts } from './signal-facts';
import { EventLog } from '../streams/event-log';
import { EventLogStore } from '../streams/event-log.store';
import { passUntilDone } from '../testing/passing-time';
import { SignalEvents, type SignalLog } from './signal-events';
import { SignalIntake, type TakenSignal } from './signal-intake';
import { SignalRunner } from './signal-runner';
import type { SignalRow } from './signal-row';
import { SignalsStore } from './signals.store';
import { averageTrueRange } from './signal-levels';

const rules: AlertRules = { levels: 'points', size: null, sequence: 'none', repeatMs: 60_000 };

function problemsOf(text: string, changes: Partial<AlertRules> = {}): string[] {
  const read = readSignal(alertFields(Buffer.from(text)), { ...rules, ...changes });
  return read.ok ? [] : read.problems.map(({ field, problem }) => `${field}: ${problem}`);
}

function signalOf(text: string): Signal {
  const read = readSignal(alertFields(Buffer.from(text)), rules);
  if (!read.ok) throw new Error(JSON.stringify(read.problems));
  return read.signal;
}

/** Letters of names: no space, no quote and no equals sign. */
const letter = fc.constantFrom(...'aZ09.:#-_/!éß日😀');
const name = fc.string({ unit: letter, minLength: 1, maxLength: 12 }).filter((text) => !/^(long|short)$/i.test(text));
const amount = fc.oneof(
  fc.integer({ min: 1, max: 1_000_000 }),
  fc.double({ min: 1e-9, max: 1e11, noNaN: true, noDefaultInfinity: true }),
);
const level = fc.oneof(
  fc.record({ unit: fc.constant('points' as const), amount: fc.nat(100_000) }),
  fc.record({ unit: fc.constantFrom('price', 'percent', 'atr'), amount }),
);
const orNull = <T>(some: fc.Arbitrary<T>): fc.Arbitrary<T | null> => fc.option(some, { nil: null });
const identity = {
  symbol: name,
  id: orNull(fc.array(name, { minLength: 1, maxLength: 4 }).map((words) => words.join(' '))),
  timeMs: orNull(fc.integer({ min: 1e12, max: 4e12 })),
  sequence: orNull(fc.nat(1_000_000)),
  before: orNull(fc.constantFrom(...sides)),
};
const nothingElse = { size: null, sl: null, tp: null, limit: null, stop: null, position: null, side: null };
const lots = fc.record({ unit: fc.constant('lots' as const), amount });
const risky = fc.record({
  unit: fc.constantFrom('risk', 'money'),
  amount: fc.double({ min: 0.01, max: 100, noNaN: true }),
});
const entry = fc.oneof(
  fc.record({ size: lots, sl: orNull(level), tp: orNull(level) }),
  fc.record({ size: risky, sl: level, tp: orNull(level) }),
);
const target = fc.oneof(
  fc.record({
    position: fc.oneof(
      amount,
      amount.map((lots) => -lots),
    ),
    side: fc.constant(null),
  }),
  fc.record({ position: amount, side: fc.constantFrom('long', 'short') }),
  fc.record({ position: fc.constantFrom(0, null), side: fc.constant('flat' as const) }),
);
/** Every alert that the grammar has. */
const anySignal = fc
  .tuple(fc.constantFrom(...verbs), fc.record(identity), entry, target, fc.tuple(orNull(level), level), amount)
  .chain(([verb, common, sized, aimed, [sl, tp], price]): fc.Arbitrary<Signal> => {
    const base = { verb, ...common, ...nothingElse };
    switch (verb) {
      case 'buy':
      case 'sell':
        return fc.constantFrom(
          { ...base, ...sized },
          { ...base, ...sized, limit: price },
          { ...base, ...sized, stop: price },
        );
      case 'reverse':
        return fc.constantFrom({ ...base, ...sized }, { ...base, sl, tp });
      case 'protect':
        return fc.constant({ ...base, sl, tp });
      case 'target':
        return fc.constant({ ...base, ...aimed, sl, tp });
      default:
        return fc.constant(base);
    }
  });

/** What the grammar leaves free. */
const writing = fc.record({
  order: fc.array(fc.nat(), { minLength: 12, maxLength: 12 }),
  space: fc.constantFrom(' ', '   ', '\t'),
  indent: fc.constantFrom('', '  '),
  isLoud: fc.boolean(),
  isQuoted: fc.boolean(),
  hasIsoTime: fc.boolean(),
});
type Writing = typeof writing extends fc.Arbitrary<infer T> ? T : never;

/** An alert as the words of a line, and as a JSON object. */
function written(signal: Signal, how: Writing): { words: string[]; json: Record<string, unknown> } {
  const { verb, symbol, id, timeMs, sequence, size, sl, tp, limit, stop, position, side, before } = signal;
  const time = timeMs === null ? null : how.hasIsoTime ? new Date(timeMs).toISOString() : timeMs;
  const levelText = (of: Level | null): string | null => of && `${of.amount}${of.unit === 'points' ? '' : of.unit}`;
  const sized = size === null ? {} : { [size.unit]: size.amount };
  const all = {
    ...{ id, time, seq: sequence, ...sized, sl: levelText(sl), tp: levelText(tp) },
    limit,
    stop,
    position,
    side,
    before,
  };
  const fields = Object.entries(all)
    .filter(([, value]) => value !== null)
    .map(([field, value], index) => ({ field, value, at: how.order[index] ?? 0 }))
    .sort((a, b) => a.at - b.at);
  const word = (text: string): string => (how.isLoud ? text.toUpperCase() : text);
  const inLine = (value: unknown): string =>
    how.isQuoted || String(value).includes(' ') ? `"${String(value)}"` : String(value);
  return {
    words: [...verb.split('_').map(word), symbol, ...fields.map(({ field, value }) => `${field}=${inLine(value)}`)],
    json: { action: word(verb), symbol, ...Object.fromEntries(fields.map(({ field, value }) => [field, value])) },
  };
}

/** Each makes a word wrong, whatever stands there. */
const spoilers: ((word: string, place: number, words: readonly string[]) => string)[] = [
  (word) => `"${word}`,
  () => '=1',
  (word) => (word.includes('=') ? `${word.slice(0, word.indexOf('='))}=` : '{{ticker}}'),
  (word, place) => (place === 0 ? 'bye' : word.includes('=') ? 'lost=1' : `${word}="`),
  (word) =>
    /^(lots|risk|money|sl|tp|limit|stop|position|seq)=/.test(word)
      ? `${word.slice(0, word.indexOf('='))}=0,1`
      : '{{close}}',
  (word) => (/^(time|side|before)=/.test(word) ? `${word.slice(0, word.indexOf('='))}=never` : '{{close}}x'),
  (word, place, words) => (place > 3 ? (words[3] ?? word) : 'x={{open}}'),
];

describe('the grammar of an alert', () => {
  it('reads one line and JSON alike', () => {
    const line = signalOf('buy EURUSD sl=50 tp=2atr risk=1 id="a 1" time=2026-01-05T10:00:00Z seq=7 before=flat\n');
    expect(line).toMatchObject({
      ...{ verb: 'buy', symbol: 'EURUSD', id: 'a 1', sequence: 7, before: 'flat', size: { unit: 'risk', amount: 1 } },
      ...{ sl: { unit: 'points', amount: 50 }, tp: { unit: 'atr', amount: 2 }, timeMs: Date.UTC(2026, 0, 5, 10) },
    });
    const json = {
      action: 'BUY',
      symbol: 'EURUSD',
      sl: 50,
      tp: '2atr',
      risk: '1',
      id: 'a 1',
      time: 1767607200,
      seq: 7,
    };
    expect(signalOf(JSON.stringify({ ...json, before: 'Flat' }))).toEqual(line);
    expect(signalOf('close short OANDA:EURUSD')).toMatchObject({ verb: 'close_short', symbol: 'OANDA:EURUSD' });
    expect(signalOf('protect X sl=1.0950price tp=0.5%')).toMatchObject({
      ...{ sl: { unit: 'price', amount: 1.095 }, tp: { unit: 'percent', amount: 0.5 } },
    });
  });

  it.each([
    ['', 'body: is empty: send an alert such as `buy EURUSD lots=0.1 id=1`'],
    ['by EURUSD', 'action: at column 1: "by" must be one of buy, sell, close'],
    ['buy', 'symbol: must name the instrument'],
    ['buy EURUSD 0.1', 'body: at column 12: "0.1" is no name=value'],
    ['  by EURUSD', 'action: at column 3: "by" must be one of'],
    ['buy {{ticker}} lots=1', 'symbol: at column 5: "{{ticker}}" was not replaced by the sender'],
    ['{{action}} EURUSD lots=1', 'action: at column 1: "{{action}}" was not replaced by the sender'],
    ['by EURUSD lots=1 lots=2', 'action: at column 1: "by" must be one of'],
    ['{"action":"close","symbol":"X","id":"{{order.id}} 1"}', 'id: "{{order.id}}" was not replaced by the sender'],
    ['{"action":"close","symbol":"X","id":12345678901234567890}', 'id: has more digits than a JSON number keeps'],
    ['buy EURUSD lots=0.1 lots=1', 'lots: at column 21: is given twice'],
    ['buy EURUSD lots=', 'lots: at column 12: has no value'],
    ['buy EURUSD lots=NaN', 'lots: at column 12: "NaN" must be a number'],
    ['buy EURUSD lots=-1', 'lots: at column 12: must be above 0'],
    ['buy EURUSD lots=1 risk=1 sl=5', 'risk: at column 19: cannot be given together with lots'],
    ['buy EURUSD risk=1', 'sl: is needed: the risk is measured at the stop-loss'],
    ['buy EURUSD', 'lots: give the size as one of lots, risk, money'],
    [
      'buy EURUSD lots=1 sl=1.095',
      'sl: at column 19: "1.095" must be a whole number of points; a price is written 1.095price',
    ],
    ['buy EURUSD lot=1', 'lot: at column 12: unknown field'],
    ['close EURUSD lots=1', 'lots: at column 14: close has no such field'],
    ['target EURUSD', 'position: must be the position of the source'],
    ['target EURUSD position=-1 side=short', 'position: at column 15: must be above 0 with side=short'],
    ['protect EURUSD', 'sl: give at least one of sl, tp'],
    ['buy EURUSD lots=1 time=now', 'time: at column 19: "now" must be a time such as 2026-01-05T10:00:00Z'],
    ['buy EURUSD "lots=1', 'body: at column 12: a quote that is not name="value"'],
    ['buy EURUSD\nlots=1', 'body: at column 11: must be one line of plain text, or a JSON object'],
    ['{"action":"buy"', 'body: is not valid JSON at line 1'],
    ['{"action":"buy","action":"sell"}', 'body'],
    ['[]', 'body: must be a JSON object'],
    ['{"action":"buy","symbol":"X","lots":{}}', 'lots: must be a text or a number'],
  ])('names the place of what is wrong in %j', (text, problem) => {
    expect(problemsOf(text).join('\n')).toContain(problem);
  });

  it('refuses an alert that cannot be told from a repeated delivery of another one', () => {
    expect(problemsOf('close EURUSD', { repeatMs: null }).join()).toContain('id: give an id, or the time of the alert');
    expect(problemsOf('close EURUSD id=1', { repeatMs: null })).toEqual([]);
    expect(problemsOf('close EURUSD id=1', { sequence: 'number' })).toEqual([
      'seq: is needed: the source numbers its alerts',
    ]);
  });

  it('never throws, and reads only what it understands whole', () => {
    const word = fc.constantFrom(
      ...verbs,
      'EURUSD',
      'lots=1',
      'sl=5',
      'sl=',
      '=',
      '"',
      'a="b c"',
      '{',
      '\t',
      ' ',
      '\n',
      'risk=1%',
      'id=é',
    );
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(word).map((words) => words.join(' ')),
      fc.json(),
    );
    fc.assert(
      fc.property(text, (alert) => {
        const read = readSignal(alertFields(Buffer.from(alert)), rules);
        return read.ok ? verbs.includes(read.signal.verb) : read.problems.length > 0;
      }),
    );
  });

  it('reads what it would write, as a line and as JSON', () => {
    fc.assert(
      fc.property(anySignal, writing, (signal, how) => {
        const { words, json } = written(signal, how);
        expect(signalOf(`${how.indent}${words.join(how.space)}`)).toEqual(signal);
        expect(signalOf(JSON.stringify(json))).toEqual(signal);
      }),
    );
  });

  it('names the place of the first word that is wrong, before all that follows from it', () => {
    const wrongs = fc.array(fc.tuple(fc.nat(), fc.constantFrom(...spoilers)), { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(anySignal, writing, wrongs, (signal, how, some) => {
        const words = [...written(signal, how).words];
        const changed = some.map(([draw, spoil]) => {
          const place = draw % words.length;
          words[place] = spoil(words[place] ?? '', place, words);
          return place;
        });
        const first = Math.min(...changed);
        const before = `${how.indent}${words.slice(0, first).join(how.space)}${first === 0 ? '' : how.space}`;
        const line = before + words.slice(first).join(how.space);
        expect({ line, problem: problemsOf(line)[0] ?? 'none' }).toEqual({
          line,
          problem: expect.stringContaining(`: at column ${before.length + 1}: `),
        });
      }),
    );
  });
});

const info = {
  name: 'X',
  point: 0.0001,
  digits: 4,
  trade_tick_size: 0.0001,
  volume_min: 0.01,
  volume_max: 50,
  volume_step: 0.01,
};
const source = { magic: 7, size: null, lotsPerUnit: 1, limits: { maxLots: 100, maxOpenLots: 100, maxRiskPercent: 2 } };
const flat: SignalFacts = {
  ...{ info, quote: { bid: 1.1, ask: 1.1002 }, positions: [], isForeign: false, orders: [] },
  ...{ equity: 10_000, atr: 0.002, lossOfOneLot: 500 },
};

function position(ticket: number, lots: number): OwnPosition {
  const type = lots > 0 ? PositionType.BUY : PositionType.SELL;
  return { ticket, type, volume: Math.abs(lots), price_open: 1.1, sl: 0, tp: 0, time_msc: ticket };
}

function bodies(text: string, changes: Partial<SignalFacts> = {}, its = source): unknown[] {
  const { steps, refused } = decideSignal(signalOf(text), 'X', its, { ...flat, ...changes });
  return refused === null ? steps.map(({ path, body }) => [path, body]) : [refused];
}

describe('what an alert leads to', () => {
  const held = [position(1, 0.3), position(2, 0.2)];

  it('is an order with its levels and its size', () => {
    const order = { symbol: 'X', type: 'BUY', magic: 7 };
    expect(bodies('buy X lots=0.1 sl=50 tp=1atr')).toEqual([
      ['/order', { ...order, volume: 0.1, sl: 1.0952, tp: 1.1022 }],
    ]);
    expect(bodies('sell X risk=1 sl=1%')).toEqual([['/order', { ...order, type: 'SELL', volume: 0.2, sl: 1.111 }]]);
    expect(bodies('buy X money=57 sl=1.09price limit=1.095')).toEqual([
      ['/order', { ...order, type: 'BUY_LIMIT', volume: 0.11, price: 1.095, sl: 1.09 }],
    ]);
  });

  it('is refused beyond the limits of the source', () => {
    const limits = { maxLots: 1, maxOpenLots: 1, maxRiskPercent: 0.5 };
    const its = { ...source, limits };
    expect(bodies('buy X lots=1.01', {}, its)).toEqual(['1.01 lots are more than max_lots, 1']);
    expect(bodies('buy X lots=0.6', { positions: held }, its)[0]).toContain('are more than max_open_lots, 1');
    expect(bodies('buy X risk=1 sl=50', {}, its)[0]).toContain('more than max_risk_percent');
    expect(bodies('buy X money=1 sl=50')[0]).toContain('the smallest volume, 0.01 lots, would lose more than 1.00');
    expect(bodies('buy X money=1 sl=50', { moneyDigits: 0 })[0]).toContain('would lose more than 1 at');
    expect(bodies('buy X risk=1 sl=50', { moneyDigits: 3 }, its)).toEqual([
      'a risk of 100.000 is more than max_risk_percent, 0.5 percent of the equity or 50.000',
    ]);
    expect(bodies('buy X risk=1 sl=50', { lossOfOneLot: null })[0]).toContain('no size follows from the risk');
    expect(bodies('buy X lots=1 sl=1atr', { atr: null })[0]).toContain('average true range');
    expect(bodies('sell X lots=1 tp=2price sl=0.00001price')[0]).toContain('no price above 0');
    expect(bodies('close X', { isForeign: true })[0]).toContain('is not of magic 7');
  });

  it('closes, reverses, cancels and protects what is its own', () => {
    const closes = [
      ['/close_position', { ticket: 1 }],
      ['/close_position', { ticket: 2 }],
    ];
    expect(bodies('close X', { positions: held })).toEqual(closes);
    expect(bodies('close short X', { positions: held })).toEqual([]);
    expect(bodies('reverse X', { positions: held })).toEqual([
      ...closes,
      ['/order', { symbol: 'X', volume: 0.5, type: 'SELL', magic: 7 }],
    ]);
    expect(bodies('reverse X')).toEqual(['there is no position to reverse']);
    expect(bodies('cancel X', { orders: [5] })).toEqual([['/orders/5', {}]]);
    expect(bodies('protect X sl=0', { positions: held.slice(1) })).toEqual([
      ['/modify_sl_tp', { position: 2, sl: 1.1 }],
    ]);
  });

  it('reports a side that the source did not expect', () => {
    expect(decideSignal(signalOf('close X before=short'), 'X', source, { ...flat, positions: held }).gap).toBe(
      'X: the source was short before the alert, and the account was long',
    );
    expect(decideSignal(signalOf('close X before=long'), 'X', source, { ...flat, positions: held }).gap).toBeNull();
  });

  it('reaches the target from any positions, and then has nothing left to do', () => {
    const cents = fc.integer({ min: -300, max: 300 }).filter((lots) => lots !== 0);
    fc.assert(
      fc.property(fc.array(cents, { maxLength: 5 }), fc.integer({ min: -300, max: 300 }), (lots, target) => {
        const before = lots.map((one, index) => position(index + 1, one / 100));
        const text = `target X position=${target / 100}`;
        const { steps, refused } = decideSignal(signalOf(text), 'X', source, { ...flat, positions: before });
        expect(refused).toBeNull();
        const after = steps.reduce(applied, before);
        const net = after.reduce((sum, { type, volume }) => sum + (type === PositionType.BUY ? volume : -volume), 0);
        expect(net).toBeCloseTo(target / 100, 8);
        expect(decideSignal(signalOf(text), 'X', source, { ...flat, positions: after }).steps).toEqual([]);
      }),
    );
  });

  it('never risks more than the alert asks for', () => {
    fc.assert(
      fc.property(fc.double({ min: 0.01, max: 2, noNaN: true }), fc.integer({ min: 1, max: 100_000 }), (risk, loss) => {
        const facts = { ...flat, lossOfOneLot: loss };
        const { steps } = decideSignal(
          { ...signalOf('buy X risk=1 sl=50'), size: { unit: 'risk', amount: risk } },
          'X',
          source,
          facts,
        );
        for (const { body } of steps) expect(Number(body['volume']) * loss).toBeLessThanOrEqual(100 * risk + 1e-6);
      }),
    );
  });

  it('takes the average of the true ranges', () => {
    expect(averageTrueRange({ high: [2, 3, 5], low: [1, 2, 4], close: [1, 2.5, 4.5] })).toBe(2.25);
    expect(averageTrueRange({ high: [2], low: [1], close: [1] })).toBeNull();
  });
});

function applied(positions: OwnPosition[], { path, body }: Step): OwnPosition[] {
  if (path === '/order')
    return [...positions, position(99, (body['type'] === 'BUY' ? 1 : -1) * Number(body['volume']))];
  return positions.flatMap((one) => {
    if (one.ticket !== body['ticket']) return [one];
    const left = body['volume'] === undefined ? 0 : subtractVolume(one.volume, Number(body['volume']));
    return left === 0 ? [] : [{ ...one, volume: left }];
  });
}

describe('an alert whose outcome stays unknown', () => {
  it('keeps the next entry waiting until an operator accepts it, and is not tried under another key', async () => {
    const clock = new VirtualClock(0);
    const store = new SignalsStore(new SimulatedDisk(clock, () => 0.5).view.stores, '/signals', 10);
    const keys: string[] = [];
    let isAccepted = false;
    const runner = new SignalRunner({
      ...{ sources: new Map([['trend', declared]]), store, clock, changed: () => undefined },
      log: { log: () => undefined, warn: () => undefined, error: () => undefined },
      market: {
        readFacts: () => Promise.resolve(flat),
        attempt: (_, key) => {
          keys.push(key);
          const state = key.includes('one') ? 'unknown' : 'done';
          return Promise.resolve({ state, text: state, order: null });
        },
        isKnown: (key) => keys.includes(key),
        isAccepted: () => isAccepted,
      },
    });
    for (const [index, identity] of ['one', 'two'].entries()) {
      const row = { ...accepted, number: index + 1, identity, signal: signalOf('buy X lots=0.1') };
      const added = store.add(row, null);
      await clock.advance(10);
      await added;
      runner.add(row);
    }
    const states = async (): Promise<unknown> => {
      for (let step = 0; step < 200; step++) await clock.advance(10);
      return [1, 2].map((number) => store.row(number)?.state);
    };
    expect(await states()).toEqual(['unknown', 'accepted']);
    expect([runner.waiting(), runner.unknown('trend')]).toEqual([2, 1]);
    isAccepted = true;
    expect(await states()).toEqual(['unknown', 'done']);
    expect([runner.waiting(), store.row(1)?.endedAtMs]).toEqual([0, expect.any(Number)]);
    expect([...new Set(keys)]).toEqual(['signal-one-1', 'signal-two-1']);
    await runner.stop();
  });
});

describe('what became of an alert', () => {
  it('is one event, although the power fails after the event log has it', async () => {
    const clock = new VirtualClock(0);
    const disk = new SimulatedDisk(clock, () => 0.5);
    const open = (afterAppend: () => Promise<void>) => {
      const events = new EventLog(new EventLogStore(disk.view.stores, '/events', 100, 1), () => undefined);
      const store = new SignalsStore(disk.view.stores, '/signals', 10, events.lastSignal);
      const log: SignalLog = {
        lastSignal: events.lastSignal,
        requireWritable: () => events.requireWritable(),
        appendSignals: (some, last) => events.appendSignals(some, last).then(afterAppend),
      };
      const account = () => ({ login: 7, server: 'Demo' });
      const moving = new SignalEvents({
        ...{ store, log, clock, account, sources: new Map([['trend', declared]]), complain: () => undefined },
      });
      return { events, store, moving };
    };
    const pass = async (): Promise<void> => {
      for (let turn = 0; turn < 20; turn++) await clock.advance(10);
    };
    const first = open(() => {
      disk.crash('power');
      return new Promise(() => undefined);
    });
    const row = { ...accepted, number: 1, identity: 'one', signal: signalOf('buy X lots=0.1') };
    void first.store.add(row, null);
    await pass();
    first.moving.move();
    await pass();
    const second = open(() => Promise.resolve());
    expect(second.store.changes(10)).toHaveLength(1);
    second.moving.move();
    await pass();
    void second.store.put({ ...row, state: 'done', endedAtMs: 1 });
    await pass();
    second.moving.move();
    await pass();
    expect(second.events.after(0, 10)).toMatchObject([
      { seq: 1, event: 'signal', action: 'accepted', magic: declared.magic, login: 7, signal: { number: 1 } },
      { seq: 2, action: 'done' },
    ]);
    expect(second.store.changes(10)).toEqual([]);
  });
});

describe('a change of an alert that comes while the last look at the changes ends', () => {
  it('is in the event log without another change', async () => {
    const clock = new VirtualClock(1_000);
    const { stores } = new SimulatedDisk(clock, () => 0.5).view;
    const store = new SignalsStore(stores, '/signals', 10);
    const log = new EventLog(new EventLogStore(stores, '/events', 100, 1), () => undefined);
    const pass = async (): Promise<void> => {
      for (let turn = 0; turn < 20; turn++) await clock.advance(10);
    };
    void store.add({ ...accepted, number: 1, identity: 'one', signal: signalOf('buy X lots=0.1') }, null);
    await pass();
    let looks = 0;
    const late = Object.assign<object, Partial<SignalsStore>>(Object.create(store) as object, {
      changes: (limit) => {
        looks += 1;
        if (looks > 1) return store.changes(limit);
        // Written just after this look.
        queueMicrotask(() => moving.move());
        return [];
      },
    }) as SignalsStore;
    const account = () => ({ login: 7, server: 'Demo' });
    const moving = new SignalEvents({
      ...{ store: late, log, clock, account, sources: new Map([['trend', declared]]), complain: () => undefined },
    });
    moving.move();
    await pass();
    expect(log.after(0, 10)).toMatchObject([{ event: 'signal', action: 'accepted' }]);
  });
});

describe('an alert after others of its lane', () => {
  const executed = { state: 'done', text: '', order: 7 } as const;

  it.each([
    ['their orders of the last minute', [executed], 0, [7]],
    ['an order whose ticket is not known', [{ ...executed, order: null }], 0, [null]],
    ['no order that was rejected', [{ ...executed, state: 'rejected', order: null } as const], 0, []],
    ['no order that every list shows by now', [executed], 60_000, []],
  ])('needs %s to be shown, also after a restart', async (_, results, agoMs, needed) => {
    const clock = new VirtualClock(100_000);
    const store = new SignalsStore(new SimulatedDisk(clock, () => 0.5).view.stores, '/signals', 10);
    const asked: (readonly (number | null)[])[] = [];
    const step: Step = { method: 'POST', path: '/order', body: {}, text: '', addsRisk: true };
    const before: SignalRow = {
      ...{ ...accepted, number: 1, identity: 'one', signal: signalOf('buy X lots=0.1') },
      ...{ state: 'done', steps: [step], results, endedAtMs: 100_000 - agoMs },
    };
    const later = { ...accepted, number: 2, identity: 'two', signal: signalOf('buy X lots=0.1') };
    for (const row of [before, { ...later, receivedAtMs: 100_000 }]) {
      const added = store.add(row, null);
      await clock.advance(10);
      await added;
    }
    const runner = new SignalRunner({
      ...{ sources: new Map([['trend', declared]]), store, clock, changed: () => undefined },
      log: { log: () => undefined, warn: () => undefined, error: () => undefined },
      market: {
        readFacts: (_signal, _symbol, _source, orders) => {
          asked.push(orders);
          if (asked.length === 1) throw new ApiError('account_not_synchronized', 'not shown');
          return Promise.resolve(flat);
        },
        attempt: () => Promise.resolve({ ...executed, order: 8 }),
        isKnown: () => false,
        isAccepted: () => false,
      },
    });
    runner.start();
    for (let turn = 0; turn < 100; turn++) await clock.advance(10);
    expect(asked).toEqual([needed, needed]);
    expect(store.row(2)?.state).toBe('done');
    // What was shown is not asked for again.
    const third = { ...later, number: 3, identity: 'three', receivedAtMs: 101_000 };
    const added = store.add(third, null);
    await clock.advance(10);
    await added;
    runner.add(third);
    for (let turn = 0; turn < 10; turn++) await clock.advance(10);
    expect(asked.at(-1)).toEqual([8]);
    await runner.stop();
  });
});

describe('a delivery of an alert', () => {
  const begin = (keep = 10) => {
    const clock = new VirtualClock(1_000_000);
    const disk = new SimulatedDisk(clock, () => 0.5);
    const store = new SignalsStore(disk.view.stores, '/signals', keep);
    const nothing = (): undefined => undefined;
    const intake = new SignalIntake(store, clock, { accepted: nothing, gap: nothing, refused: nothing, waiting: 0 });
    const take = (text: string, changes: Partial<SignalSource>): Promise<TakenSignal> =>
      passUntilDone(clock, intake.take({ ...declared, ...changes }, alertFields(Buffer.from(text))));
    const end = (row: SignalRow): Promise<void> =>
      passUntilDone(clock, store.put({ ...row, state: 'done', endedAtMs: clock.nowMs() }));
    return { clock, disk, store, take, end };
  };

  it('is a repeated one within repeat_seconds, and another alert from then on', async () => {
    const { clock, take } = begin();
    const repeatMs = 45_000;
    const { row } = await take('buy X lots=0.1', { repeatMs });
    const untilMs = row.receivedAtMs + repeatMs;
    await clock.advance(untilMs - 10 - clock.nowMs());
    expect(await take('buy X lots=0.1', { repeatMs })).toMatchObject({ isRepeated: true, row: { number: 1 } });
    await clock.advance(untilMs - clock.nowMs());
    expect(await take('buy X lots=0.1', { repeatMs })).toMatchObject({ isRepeated: false, row: { number: 2 } });
  });

  it('is a repeated one of the newest alert of the kind, also after an older one was dropped', async () => {
    const { clock, store, take, end } = begin(2);
    const repeatMs = 45_000;
    await end((await take('buy X lots=0.1', { repeatMs })).row);
    await clock.advance(60_000);
    await end((await take('buy X lots=0.1', { repeatMs })).row);
    await end((await take('sell X lots=0.2', { repeatMs })).row);
    expect([store.row(1), store.row(2)?.number]).toEqual([undefined, 2]);
    // It would be executed a second time.
    expect(await take('buy X lots=0.1', { repeatMs })).toMatchObject({ isRepeated: true, row: { number: 2 } });
  });

  it('that could not be stored is not the latest one: it may come again, and so may one before it', async () => {
    const { disk, take } = begin();
    const sequence = 'number';
    await take('buy X lots=0.1 seq=3', { sequence });
    disk.setReadOnly(true);
    await expect(take('buy X lots=0.1 seq=5', { sequence })).rejects.toThrow('the alert cannot be stored');
    disk.setReadOnly(false);
    for (const seq of [4, 5]) {
      expect(await take(`buy X lots=0.1 seq=${seq}`, { sequence })).toMatchObject({ isRepeated: false });
    }
  });
});

const declared: SignalSource = {
  ...{ ...source, name: 'trend', secret: 'a-secret-of-twenty-letters', login: null, fence: null, senders: null },
  ...{ proxies: [], maxPerMinute: 1, maxAgeMs: 60_000, maxExitAgeMs: 60_000, symbols: new Map([['X', 'X']]), verbs },
  ...{ levels: 'points', atr: { timeframe: 1, period: 2 }, sequence: 'none', repeatMs: null },
};
const accepted: Omit<SignalRow, 'number' | 'identity' | 'signal'> = {
  ...{ source: 'trend', slot: null, digest: '', text: 'buy X lots=0.1', receivedAtMs: 0, symbol: 'X' },
  ...{ state: 'accepted', reason: null, steps: null, results: [], gap: null, endedAtMs: null },
};

describe('the file of the signals', () => {
  const file = join(mkdtempSync(join(tmpdir(), 'signals-')), 'signals.yaml');
  const env = {
    TREND: 'a-secret-of-twenty-letters',
    SHORT: 'a-secret',
    OTHER: 'a-secret-of-twenty-letters',
    LONG: 'another-secret-of-letters',
  };
  const read = (text: string): readonly SignalSource[] => {
    writeFileSync(file, text);
    return readSignalsFile(file, env);
  };
  const problemsOf = (text: string): readonly string[] => {
    try {
      read(text);
      return [];
    } catch (error) {
      if (!(error instanceof SignalsFileError)) throw error;
      return error.problems;
    }
  };

  it('has a cautious value for what it leaves out', () => {
    const [source] = read('sources: { trend: { secret_env: TREND, magic: 7, max_lots: 0.5, symbols: { X: EURUSD } } }');
    expect(source).toMatchObject({
      ...{ name: 'trend', secret: env.TREND, magic: 7, login: null, fence: null, senders: null, proxies: [], verbs },
      ...{
        maxPerMinute: 60,
        maxAgeMs: 60_000,
        maxExitAgeMs: 3_600_000,
        size: null,
        levels: 'points',
        repeatMs: 45_000,
      },
      ...{ sequence: 'time', lotsPerUnit: 1, limits: { maxLots: 0.5, maxOpenLots: 0.5, maxRiskPercent: 2 } },
    });
    expect(source?.symbols.get('X')).toBe('EURUSD');
  });

  it('is refused with all its problems at once, and without a secret', () => {
    const problems = problemsOf(`sources:
  trend: { secret: ${env.TREND}, magic: 0, symbols: {} }
  Long: { secret_env: SHORT, magic: 1.5, max_lots: 1, symbols: { 'A B': X }, senders: [10.0.0.0/40], verbs: [by] }
  a: { secret_env: TREND, magic: 1, max_lots: 1, symbols: { X: X }, size: { lots: 1, risk: 1 }, fence: trend }
  b: { secret_env: OTHER, magic: 1, max_lots: 1, symbols: { X: X }, levels: pips, atr: { period: 1 }, max_age: 5 }
`);
    expect(problems.join('\n')).not.toContain(env.SHORT + '\n');
    expect(problems.join('\n')).not.toContain(env.TREND);
    for (const problem of [
      'sources.trend.secret must not be in this file: use secret_env or secret_file',
      'sources.trend.max_lots must be a number',
      "sources.trend.symbols must map at least one of the source's symbols",
      'sources.Long must be 1 to 64 lower-case letters',
      'sources.Long.secret must have 16 to 128 letters',
      'sources.Long.magic must be a whole number',
      'sources.Long.symbols.A B must map a symbol without spaces',
      'sources.Long.senders has 10.0.0.0/40, which is neither an address',
      'sources.Long.verbs must be a list of some of buy',
      'sources.a.size must have one of lots, risk, money',
      'sources.a.fence must be the name and the token of a fence',
      'sources.b.levels must be one of price, points, percent, atr',
      'sources.b.atr.period must be a number, 2 to 200',
      'sources.b.max_age is not a known setting',
      'sources.b must not have the secret of a',
      'sources.b must not have the magic of a: both trade X',
    ]) {
      expect(problems).toContainEqual(expect.stringContaining(problem));
    }
    const sharing = (symbol: string): readonly string[] =>
      problemsOf(`sources:
  a: { secret_env: TREND, magic: 1, max_lots: 1, symbols: { X: X } }
  b: { secret_env: LONG, magic: 1, max_lots: 1, symbols: { Y: ${symbol} } }
`);
    expect([sharing('X'), sharing('Y')]).toEqual([['sources.b must not have the magic of a: both trade X'], []]);
    expect(problemsOf('sources: []')).toEqual([
      'sources must be a mapping of names to values',
      'sources must name at least one source',
    ]);
  });

  it('names the sender behind its proxies, whatever the sender writes', () => {
    const isProxy = addressList(['127.0.0.1', '10.0.0.0/8', '::1']);
    expect(senderAddress('203.0.113.9', '198.51.100.1', isProxy)).toBe('203.0.113.9');
    expect(senderAddress('::ffff:127.0.0.1', '198.51.100.1, 203.0.113.9, 10.1.2.3', isProxy)).toBe('203.0.113.9');
    expect(senderAddress('127.0.0.1', undefined, isProxy)).toBe('127.0.0.1');
    expect(addressList(['203.0.113.0/24'])('nonsense')).toBe(false);
  });
});
