import {
  accountDoubt,
  factsOf,
  haltText,
  logLineOf,
  ownDeals,
  settingsOf,
  startText,
  strategyNamed,
} from './strategy-view';

const row = {
  ...{ name: 'trend', halted: false, haltReason: null, haltedAt: null, magic: 7, errors: 0, restarts: 1, trades: 2 },
  ...{ balance: 10_000, equity: null, realized: 0, unrealized: null, capital: 10_000, startedAt: null },
  ...{
    params: { fast: 5, mode: 'long', list: [1, 2] },
    streams: { main: 'demo:EURUSD@M1' },
    accounts: [{ gateway: 'demo', state: 'connected', reason: null }],
  },
  lastTrade: { timestamp: '2026-01-05T10:00:00.250Z', symbol: 'EURUSD', price: 1.1 },
};

describe('the page of a strategy', () => {
  it('finds a strategy, a portfolio and its child by name', () => {
    const book = { name: 'book', children: [{ name: 'book/trend' }] };
    expect(strategyNamed([book, row], 'trend')).toBe(row);
    expect(strategyNamed([book, row], 'book/trend')).toEqual({ name: 'book/trend' });
    expect(strategyNamed([{ ...book, children: null }], 'book/trend')).toBeUndefined();
  });

  it('has its figures, and none for what the daemon does not know', () => {
    const facts = new Map(factsOf(row));
    expect([facts.get('Balance'), facts.get('Equity'), facts.get('Restarts')]).toEqual(['10,000.00', 'not known', '1']);
  });

  it('says when it was started, and nothing where that is not known', () => {
    expect(startText({ ...row, startedAt: '2026-01-05T10:00:00.250Z' })).toBe('started 2026-01-05 10:00 UTC');
    expect(startText(row)).toBe('');
  });

  it('has no equity while its account is not explained, and says why', () => {
    const known = { ...row, equity: 9_990, unrealized: -10, accountAsOf: '2026-01-05T10:00:00.250Z' };
    expect(accountDoubt(known)).toBeNull();
    expect(new Map(factsOf(known)).get('Equity')).toBe('9,990.00');
    const doubted = { ...known, accounts: [{ gateway: 'demo', state: 'unreachable', reason: 'no answer' }] };
    expect(accountDoubt(doubted)).toBe(
      'Its account is not explained (demo: no answer). Its positions are of 2026-01-05 10:00:00 UTC; its equity is not known.',
    );
    const facts = new Map(factsOf(doubted));
    expect([facts.get('Balance'), facts.get('Equity'), facts.get('Unrealized')]).toEqual([
      ...['10,000.00', 'not known', 'not known'],
    ]);
    expect(accountDoubt({ ...row, accounts: [{ gateway: 'demo', state: 'disconnected' }] })).toMatch(
      /\(demo: disconnected\)\. Its positions were not read;/,
    );
  });

  it('has its streams and parameters', () => {
    expect(settingsOf(row)).toEqual([
      ['Magic', '7'],
      ['main', 'demo:EURUSD@M1'],
      ['fast', '5'],
      ['mode', 'long'],
      ['list', '[1,2]'],
    ]);
    expect(settingsOf({ ...row, magic: null, params: null, streams: undefined })).toEqual([]);
  });

  it('says why it is halted, and since when', () => {
    expect(haltText(row)).toBeNull();
    const halted = { ...row, halted: true, haltReason: 'drawdown', haltedAt: '2026-01-05T10:00:00.250Z' };
    expect(haltText(halted)).toBe('Halted since 2026-01-05 10:00:00: drawdown');
    expect(haltText({ ...halted, haltedAt: undefined })).toBe('Halted: drawdown');
  });

  it('has the lines of its log in parts', () => {
    const time = '2026-01-05T10:00:00.250000Z';
    expect(logLineOf(`${time} INFO fill {"deal":5,"trace_id":"a1","timeMs":1,"tag":null,"side":"buy"}`)).toEqual({
      time,
      level: 'INFO',
      text: 'fill',
      data: 'deal=5 side=buy',
    });
    expect(logLineOf(`${time} ERROR it broke`)).toEqual({ time, level: 'ERROR', text: 'it broke', data: '' });
    expect(logLineOf('cut off')).toEqual({ time: '', level: '', text: 'cut off', data: '' });
  });

  it('has deals of this gateway only if the last trade is among them', () => {
    const deal = { ticket: 5, time_utc: '2026-01-05T10:00:00.250Z', symbol: 'EURUSD', price: 1.1 };
    expect(ownDeals(row, [deal])).toEqual([deal]);
    expect(ownDeals(row, [{ ...deal, price: 1.2 }])).toBeNull();
    expect(ownDeals({ ...row, accounts: [{}, {}] }, [deal])).toBeNull();
    expect(ownDeals({ ...row, lastTrade: null }, [])).toBeNull();
  });
});
