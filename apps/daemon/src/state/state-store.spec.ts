import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { VirtualClock } from '@libs/clock';
import { open } from 'lmdb';
import type { StackRecord } from '../core/stack';
import { blankRecord, type IntentRecord, type OwnedTicket } from '../core/records';
import { StateOpenError } from './state-open-error';
import { StateStore, StateWriteError } from './state-store';

const dayMs = 86_400_000;

const ticket: OwnedTicket = {
  strategy: 'ema',
  broker: 'demo',
  ticket: 7,
  stream: 'eur',
  symbol: 'EURUSD',
  intentId: 'i1',
  deals: [],
  volumeIn: '0',
  volumeOut: '0',
  closed: false,
};
const intent: IntentRecord = {
  key: 'k1',
  strategy: 'ema',
  broker: 'demo',
  intentId: 'i1',
  stream: 'eur',
  symbol: 'EURUSD',
  ticket: null,
  call: { method: 'POST', path: '/order', body: { symbol: 'EURUSD' } },
  isEntry: true,
  createdAtMs: 0,
  state: 'open',
  outcome: null,
};
const stack: StackRecord = {
  ...{ id: 's1', strategy: 'ema', stream: 'eur', broker: 'demo', symbol: 'EURUSD', side: 'buy', volume: 0.1 },
  ...{ spacing: 0.001, slDistance: null, tpDistance: null, anchor: 1.1, expiresMs: dayMs, waiting: [2, 3] },
  ...{ tickets: [7], over: false },
};

const folder = (): string => mkdtempSync(join(tmpdir(), 'state-'));

/** Writes into the databases themselves, as a fault or another version would. */
async function tamper(dir: string, name: string, key: string | (string | number)[], text: string): Promise<void> {
  const root = open({ path: join(dir, 'state.lmdb'), noSubdir: true, maxDbs: 16 });
  const database = root.openDB<Buffer, string | (string | number)[]>({ name, encoding: 'binary' });
  await database.put(key, Buffer.from(text));
  await root.close();
}

describe('the state directory', () => {
  it('keeps open and closed records over a restart', async () => {
    const dir = folder();
    const before = StateStore.open(dir);
    await before.write({ tickets: [ticket, { ...ticket, ticket: 8, closed: true }], intents: [intent] });
    await before.close();
    const after = StateStore.open(dir);
    expect(after.openTickets('ema')).toEqual([ticket]);
    expect(after.openTickets('other')).toEqual([]);
    expect(after.ticket('demo', 8)).toMatchObject({ closed: true });
    expect(after.ticket('live', 8)).toBeNull();
    expect(after.openIntents('ema')).toEqual([intent]);
    await after.write({ intents: [{ ...intent, state: 'done' }] });
    expect(after.openIntents('ema')).toEqual([]);
    await after.close();
  });

  it('has what each strategy keeps, and names what is not JSON', async () => {
    const dir = folder();
    const kept = { strategy: 'ema', version: 2, json: '{"a":[1]}' };
    const before = StateStore.open(dir);
    await before.write({ kept, tickets: [ticket] });
    await before.write({ kept: { ...kept, strategy: 'broken' } });
    await before.close();
    await tamper(dir, 'kept-by-strategy', 'broken', '{"strategy":"broken","version":1,"json":"{"}');
    const after = StateStore.open(dir);
    expect([after.kept('ema'), after.kept('other')]).toEqual([kept, null]);
    const problem = 'the state cannot be read: kept-by-strategy "broken" json is "{" instead of JSON';
    expect(() => after.kept('broken')).toThrow(problem);
    expect(after.dump()).toMatchObject({ kept: [kept], unreadable: [problem] });
    await after.close();
  });

  it('writes a change completely or not at all', async () => {
    const store = StateStore.open(folder());
    await store.write({ strategy: blankRecord('ema') });
    // No key is as long as this: the second part of the change cannot be.
    const impossible = { ...ticket, broker: 'x'.repeat(5_000) };
    const change = { strategy: { ...blankRecord('ema'), realized: '5' }, tickets: [ticket, impossible] };
    const refused = store.write(change);
    const other = store.write({ strategy: blankRecord('other') });
    await expect(refused).rejects.toThrow(StateWriteError);
    await other;
    expect([store.strategy('ema'), store.strategy('other')]).toEqual([blankRecord('ema'), blankRecord('other')]);
    expect(store.openTickets('ema')).toEqual([]);
    await store.close();
  });

  it('keeps strategies apart whose names begin alike, and one ticket number of two gateways', async () => {
    const store = StateStore.open(folder());
    const names = ['ema', 'ema2', 'ema/one', 'em', 'ema\u0001', 'emaé', '7'];
    const tickets = names.flatMap((strategy, index) => [
      { ...ticket, strategy, ticket: index },
      { ...ticket, strategy, ticket: index, broker: 'live' },
    ]);
    await store.write({ tickets });
    for (const name of names) {
      expect(store.openTickets(name)).toEqual(tickets.filter(({ strategy }) => strategy === name));
    }
    await store.close();
  });

  it.each([
    ['tickets-by-strategy', ['ema', 'open', 'demo', 7], '{"half', 'is not valid JSON'],
    ['tickets-by-strategy', ['ema', 'open', 'demo', 7], '{"strategy":"ema"}', 'broker is missing instead of a text'],
    [
      'tickets-by-strategy',
      ['ema', 'open', 'demo', 7],
      JSON.stringify({ ...ticket, volumeIn: 'NaN' }),
      'volumeIn is "NaN" instead of an amount',
    ],
    [
      'tickets-by-strategy',
      ['ema', 'open', 'demo', 7],
      JSON.stringify({ ...ticket, deals: [1, null] }),
      'deals[1] is null instead of a whole number',
    ],
    ['intents-by-strategy', ['ema', 'open', 'k1'], JSON.stringify({ ...intent, state: 'odd' }), 'state is "odd"'],
    ['stacks-by-strategy', ['ema', 'open', 's1'], JSON.stringify({ ...stack, anchor: 'x' }), 'anchor is "x"'],
    ['strategies', 'ema', '{"name":"ema","realized":5}', 'realized is 5 instead of an amount'],
  ])('names a record of %s that cannot be understood, and gives the others what is theirs', async (...row) => {
    const [name, key, text, problem] = row;
    const dir = folder();
    await StateStore.open(dir).close();
    await tamper(dir, name, key, text);
    const store = StateStore.open(dir);
    const other = { ...ticket, strategy: 'other', ticket: 9 };
    await store.write({ strategy: blankRecord('other'), tickets: [other] });
    const read = (strategy: string): unknown => [
      store.strategy(strategy),
      store.openTickets(strategy),
      store.openIntents(strategy),
      store.openStacks(strategy),
    ];
    expect(() => read('ema')).toThrow(`${name} ${JSON.stringify(key)} ${problem}`);
    expect(read('other')).toEqual([blankRecord('other'), [other], [], []]);
    expect(store.dump()).toMatchObject({ tickets: [other], unreadable: [expect.stringContaining(problem)] });
    await store.close();
  });

  it('prunes closed records after the retention time, in portions, and never open ones', async () => {
    const clock = new VirtualClock();
    const store = StateStore.open(folder(), clock);
    const past = Array.from({ length: 10 }, (_, index) => ({ ...ticket, ticket: 100 + index, closed: true }));
    await store.write({ tickets: [ticket, ...past], intents: [intent, { ...intent, key: 'k0', state: 'done' }] });
    await store.write({ stacks: [stack, { ...stack, id: 's0', over: true }] });
    // Opened again after it was closed: a second deal of a ticket that was thought to be gone.
    await store.write({ tickets: [{ ...ticket, ticket: 109, closed: false }] });
    const prunedMs = clock.nowMs() + 1;
    await clock.advance(dayMs);
    await store.write({ tickets: [{ ...ticket, ticket: 200, closed: true }] });

    let portions = 0;
    while ((await store.prune(prunedMs, 5)) === 5) portions++;
    expect(portions).toBe(2);
    const { tickets, intents, stacks } = store.dump();
    expect(tickets.map((kept) => kept.ticket).sort((a, b) => a - b)).toEqual([7, 109, 200]);
    expect([intents, stacks]).toEqual([[intent], [stack]]);
    expect(store.ticket('demo', 100)).toBeNull();
    expect(store.ticket('demo', 109)).toMatchObject({ closed: false });
    expect(store.ticket('demo', 200)).toMatchObject({ closed: true });
    expect(await store.prune(prunedMs, 5)).toBe(0);
    await store.close();
  });

  it('is refused if its file is not a database or is truncated, which would end the process', async () => {
    const dir = folder();
    const file = join(dir, 'state.lmdb');
    writeFileSync(file, 'no database'.repeat(1_000));
    expect(() => StateStore.open(dir)).toThrow(StateOpenError);
    expect(() => StateStore.open(dir)).toThrow(`the state in ${file} is damaged: the file is not a database`);
    rmSync(file);
    const store = StateStore.open(dir);
    await store.write({ tickets: Array.from({ length: 500 }, (_, index) => ({ ...ticket, ticket: index })) });
    await store.close();
    truncateSync(file, 20_480);
    expect(() => StateStore.open(dir)).toThrow(/is damaged: the file is truncated: it has 20480 of \d+ bytes/);
    expect(() => StateStore.open(join(file, 'below'))).toThrow(/cannot be opened: .*ENOTDIR/);
  });
});
