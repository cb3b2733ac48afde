import pino from 'pino';
import { endCode, stopLimitMs } from './stop-gateway';

describe('the stop of a gateway', () => {
  const base = { SHUTDOWN_DRAIN_SECONDS: 0.5, TERMINAL_DRIVER: 'simulator', TERMINAL_HOST: false } as const;

  it('has one limit, which begins after the drain, and is longer where a terminal has to be ended', () => {
    expect(stopLimitMs(base)).toBe(15_500);
    expect(stopLimitMs({ ...base, SHUTDOWN_DRAIN_SECONDS: 60 })).toBe(75_000);
    expect(stopLimitMs({ ...base, TERMINAL_DRIVER: 'bridge', TERMINAL_HOST: true })).toBe(45_500);
  });

  it('logs an end that is not in order, with the number of requests under way', () => {
    const lines: string[] = [];
    const logger = pino({ base: null, timestamp: false }, { write: (line: string) => void lines.push(line) });
    const journal = { running: () => [] };
    expect(endCode({ kind: 'stopped' }, logger, journal)).toBe(0);
    expect(lines).toEqual([]);
    expect(endCode({ kind: 'late' }, logger, journal)).toBe(1);
    expect(endCode({ kind: 'repeated' }, logger, journal)).toBe(1);
    expect(endCode({ kind: 'failed', error: new Error('no') }, logger, journal)).toBe(1);
    expect(lines).toMatchObject([
      expect.stringMatching(/"requests":0.*the stop took too long: ended at once/),
      expect.stringMatching(/a second signal came: ended at once/),
      expect.stringMatching(/stopping failed/),
    ]);
  });
});
