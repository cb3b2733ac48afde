import fc from 'fast-check';
import { SymbolCalcMode } from '@libs/terminal-client';
import { symbolLike } from '../testing/running-simulator';
import { formulaMargin, marginEstimate } from './margin';

const estimated = [
  SymbolCalcMode.FOREX,
  SymbolCalcMode.FOREX_NO_LEVERAGE,
  SymbolCalcMode.CFD,
  SymbolCalcMode.CFDLEVERAGE,
  SymbolCalcMode.EXCH_STOCKS,
];

describe('the margin in doubles', () => {
  it.each(estimated)('is that of the formula, in mode %s', (mode) => {
    const hundredths = fc.integer({ min: 1, max: 10_000 }).map((cents) => cents / 100);
    fc.assert(
      fc.property(
        hundredths,
        hundredths,
        fc.constantFrom(1, 30, 500),
        fc.constantFrom(0, 250),
        (lots, price, by, per) => {
          const spec = symbolLike('EURUSD', { trade_calc_mode: mode, margin_initial: per });
          const exactly = formulaMargin(spec, lots, price, by).toNumber();
          expect(Math.abs(marginEstimate(spec, lots, price, by) / exactly - 1)).toBeLessThan(1e-12);
        },
      ),
    );
  });

  it('is that of a held position, where the symbol has one', () => {
    const spec = symbolLike('EURUSD', { margin_maintenance: 700, margin_initial: 250 });
    expect(marginEstimate(spec, 0.5, 1.1, 100)).toBe(350);
  });

  it('is unknown in the other modes', () => {
    const spec = symbolLike('EURUSD', { trade_calc_mode: SymbolCalcMode.EXCH_BONDS });
    expect(marginEstimate(spec, 1, 1, 100)).toBeNaN();
  });
});
