import { LastErrorCode, Timeframe } from '@libs/terminal-client';
import * as fields from './record-fields';
import { fieldsOf, type TerminalRig } from './terminal-rig';

/** What every driver of the port shows of the market. */
export function marketContract(rig: TerminalRig): void {
  describe('symbols and quotes', () => {
    it('come as whole records, all of them or by a mask', async () => {
      const all = await rig.terminal.symbolsGet();
      const names = all.map(({ name }) => name);
      expect(names).toEqual(expect.arrayContaining(['EURUSD', 'USDJPY', 'XAUUSD']));
      expect(fieldsOf(all[0])).toEqual(fields.symbolFields);
      const masked = await rig.terminal.symbolsGet('*USD*,!EURUSD');
      expect(masked.map(({ name }) => name)).toEqual(names.filter((name) => name.includes('USD') && name !== 'EURUSD'));
      expect(await rig.terminal.symbolsGet('NOTHING*')).toEqual([]);
    });

    it('are null, with last_error -4, where the terminal knows none', async () => {
      expect(await rig.terminal.symbolInfo('NOSUCH')).toBeNull();
      expect((await rig.terminal.lastError()).code).toBe(LastErrorCode.NOT_FOUND);
      expect(await rig.terminal.symbolInfoTick('NOSUCH')).toBeNull();
      expect(await rig.terminal.symbolSelect('NOSUCH', true)).toBe(false);
    });

    it('can be added to Market Watch and taken off it', async () => {
      expect(await rig.terminal.symbolSelect('EURCHF', true)).toBe(true);
      expect((await rig.terminal.symbolInfo('EURCHF'))?.visible).toBe(true);
      expect(await rig.terminal.symbolSelect('EURCHF', false)).toBe(true);
      expect((await rig.terminal.symbolInfo('EURCHF'))?.visible).toBe(false);
    });

    it('quote one symbol or several in one call, in the order asked', async () => {
      const quote = await rig.terminal.symbolInfoTick('EURUSD');
      expect(fieldsOf(quote)).toEqual(fields.tickFields);
      expect(quote?.ask).toBeGreaterThan(quote?.bid ?? Infinity);
      expect(Math.floor((quote?.time_msc ?? 0) / 1_000)).toBe(quote?.time);
      const [gold, none, euro] = await rig.terminal.ticks(['XAUUSD', 'NOSUCH', 'EURUSD']);
      expect(gold?.bid).toBeGreaterThan(100);
      expect(none).toBeNull();
      expect(euro?.bid).toBeLessThan(3);
    });
  });

  describe('the market depth', () => {
    it('has the sells before the buys, with the quote between them; there is none of an unknown symbol', async () => {
      const book = await rig.terminal.marketBook('US500');
      const [sells, buys] = [1, 2].map((type) => book?.filter((row) => row.type === type) ?? []);
      expect(fieldsOf(book?.[0])).toEqual(fields.bookFields);
      expect(book).toEqual([...(sells ?? []), ...(buys ?? [])]);
      expect(sells?.at(-1)?.price).toBeGreaterThan(buys?.[0]?.price ?? Infinity);
      expect(await rig.terminal.marketBook('NOSUCH')).toBeNull();
    });
  });

  describe('bars and ticks', () => {
    it('come as columns of one length, the forming bar last', async () => {
      const bars = await rig.terminal.copyRatesFromPos('EURUSD', Timeframe.M5, 0, 20);
      if (!bars) throw new Error('no bars');
      expect(Object.values(bars).map((column: ArrayLike<number>) => column.length)).toEqual(Array(8).fill(20));
      const times = Array.from(bars.time);
      expect(times).toEqual([...times].sort((a, b) => a - b));
      expect(times.every((time) => time % 300 === 0)).toBe(true);
      for (let row = 0; row < 20; row++) {
        expect(bars.high[row]).toBeGreaterThanOrEqual(bars.low[row] ?? Infinity);
      }
    });

    it('of a range include both of its ends', async () => {
      const bars = await rig.terminal.copyRatesFromPos('EURUSD', Timeframe.M1, 5, 10);
      const from = bars?.time[2] ?? 0;
      const to = bars?.time[6] ?? 0;
      const range = await rig.terminal.copyRatesRange('EURUSD', Timeframe.M1, from, to);
      expect(Array.from(range?.time ?? [])).toEqual(Array.from(bars?.time ?? []).slice(2, 7));
      expect(Array.from(range?.close ?? [])).toEqual(Array.from(bars?.close ?? []).slice(2, 7));
    });

    it('of a range of ticks are exact to the millisecond', async () => {
      const quote = await rig.terminal.symbolInfoTick('EURUSD');
      const to = (quote?.time_msc ?? 0) - 60_000;
      const all = await rig.terminal.copyTicksRange('EURUSD', to - 600_000, to, -1);
      const stamps = Array.from(all?.time_msc ?? []);
      expect(stamps.length).toBeGreaterThan(5);
      const inner = await rig.terminal.copyTicksRange('EURUSD', stamps[1] ?? 0, stamps[3] ?? 0, -1);
      expect(Array.from(inner?.time_msc ?? [])).toEqual(stamps.slice(1, 4));
      const none = await rig.terminal.copyTicksRange('EURUSD', to + 1e10, to + 1e10 + 1, -1);
      expect(Array.from(none?.bid ?? [1])).toEqual([]);
    });

    it('are null for an unknown symbol, and empty where there were none', async () => {
      expect(await rig.terminal.copyRatesFromPos('NOSUCH', Timeframe.M1, 0, 10)).toBeNull();
      expect(await rig.terminal.copyTicksRange('NOSUCH', 0, 1_000, -1)).toBeNull();
      const early = await rig.terminal.copyRatesRange('EURUSD', Timeframe.M1, 0, 1_000);
      expect(Array.from(early?.time ?? [1])).toEqual([]);
    });
  });
}
