import { timeframeMs } from '../core/event-time';
import { closedBars } from './closed-bar';

const startMs = Date.UTC(2024, 0, 1);

describe('bars', () => {
  it('have the times of the broker’s clock while its zone is unknown', () => {
    const row = {
      time: '2024-01-01T00:01:00',
      time_server: startMs / 1_000 + 60,
      open: 1,
      high: 1,
      low: 1,
      close: 1,
      tick_volume: 1,
      spread: 1,
      real_volume: 0,
    };
    const serverMs = startMs + 60_000;
    expect(closedBars([row, row])).toMatchObject([{ timeMs: serverMs, serverMs }]);
    expect(() => closedBars([{ ...row, time: 'soon' }, row])).toThrow('invalid bar time: soon');
  });

  it('are as long as their timeframe says', () => {
    expect([timeframeMs('M5'), timeframeMs('H4'), timeframeMs('D1'), timeframeMs('MN1')]).toEqual([
      300_000,
      14_400_000,
      86_400_000,
      null,
    ]);
  });
});
