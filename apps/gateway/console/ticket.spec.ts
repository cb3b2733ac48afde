import { lotsForRisk, lotsOf, oneStepLess, requestOf, ticketOf } from './ticket';

const rules = { volume_min: 0.01, volume_max: 50, volume_step: 0.01 };
const market = { symbol: { name: 'EURUSD', digits: 5, ...rules }, bid: 1.1, ask: 1.1001 };
const fields = (given: Readonly<Record<string, string>>) => new Map(Object.entries({ size: '0.1', ...given }));

describe('an order as it was entered', () => {
  it('is at the market of its side, with the levels that were entered', () => {
    const size = { unit: 'lots', amount: 0.1 };
    expect(ticketOf('BUY', fields({ sl: '1.09', tp: '' }), market)).toEqual({
      ok: true,
      value: { side: 'BUY', kind: 'market', price: 1.1001, sl: 1.09, tp: undefined, size },
    });
    expect(ticketOf('SELL', fields({ kind: 'stop', price: '1.095' }), market)).toEqual({
      ok: true,
      value: { side: 'SELL', kind: 'stop', price: 1.095, sl: undefined, tp: undefined, size },
    });
  });

  it.each([
    ['BUY', { kind: 'limit' }, 'price: a limit order needs one'],
    ['BUY', { kind: 'limit', price: '1.2' }, 'price: a BUY LIMIT is below the market, which is at 1.10010'],
    ['SELL', { kind: 'limit', price: '1.0' }, 'price: a SELL LIMIT is above the market, which is at 1.10000'],
    ['BUY', { kind: 'stop', price: '1.0' }, 'price: a BUY STOP is above the market, which is at 1.10010'],
    ['SELL', { kind: 'stop', price: '1.2' }, 'price: a SELL STOP is below the market, which is at 1.10000'],
    ['BUY', { sl: '1.2' }, 'sl must be below 1.10010 for a BUY'],
    ['SELL', { tp: '1.2' }, 'tp must be below 1.10000 for a SELL'],
    ['BUY', { sl: '1,09' }, 'sl must be a price above 0, such as 1.1725'],
    ['BUY', { sl: '1.090001' }, 'sl has more decimals than the prices of EURUSD, which have 5'],
    ['BUY', { size: '' }, 'size must be a number of lots above 0'],
    ['BUY', { size: '-1', unit: 'money' }, 'size must be an amount above 0'],
    ['BUY', { size: '101', unit: 'percent', sl: '1' }, 'size must be at most 100 percent of the equity'],
    ['BUY', { size: '1', unit: 'percent' }, 'sl: the risk is measured at the stop-loss, so it needs one'],
  ] as const)('%s %j is refused', (side, given, problem) => {
    expect(ticketOf(side, fields(given), market)).toEqual({ ok: false, problem });
  });

  it('is refused without a quote', () => {
    expect(ticketOf('SELL', fields({}), { ...market, bid: 0 })).toEqual({
      ok: false,
      problem: 'EURUSD has no bid now',
    });
  });

  it('becomes a request without what was not entered', () => {
    const ticket = ticketOf('SELL', fields({ kind: 'limit', price: '1.2', tp: '1.1' }), market);
    if (!ticket.ok) throw new Error(ticket.problem);
    expect(requestOf(ticket.value, 'EURUSD', 0.1)).toEqual({
      ...{ symbol: 'EURUSD', volume: 0.1, type: 'SELL_LIMIT', price: 1.2, tp: 1.1 },
    });
  });
});

describe('the lots of an order', () => {
  it('are those that were entered, if the symbol takes them', () => {
    expect(lotsOf(0.07, rules)).toEqual({ ok: true, value: 0.07 });
    expect(lotsOf(0.075, rules)).toEqual({ ok: false, problem: 'size must be a multiple of 0.01 lots' });
    expect(lotsOf(60, rules)).toEqual({ ok: false, problem: 'size: 60 lots; the symbol takes 0.01 to 50' });
  });

  it('are the most that lose no more than the risk', () => {
    expect(lotsForRisk(100, 1_000, rules)).toEqual({ ok: true, value: 0.1 });
    expect(lotsForRisk(99.99, 1_000, rules)).toEqual({ ok: true, value: 0.09 });
    expect(lotsForRisk(0.3, 1, { ...rules, volume_step: 0.1 })).toEqual({ ok: true, value: 0.3 });
    expect(oneStepLess(0.3, rules)).toBe(0.29);
    expect(oneStepLess(0.01, rules)).toBeNull();
  });

  it.each([
    [5, 1_000, 'size: the smallest volume, 0.01 lots, would lose more than that at the stop-loss'],
    [100, 0, 'sl: at this level nothing would be lost, so that no size follows from the risk'],
    [100_000, 1, 'size: 100000 lots; the symbol takes 0.01 to 50'],
  ])('do not follow from a risk of %d at a loss of %d a lot', (risk, loss, problem) => {
    expect(lotsForRisk(risk, loss, rules)).toEqual({ ok: false, problem });
  });
});
