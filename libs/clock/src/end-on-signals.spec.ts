import { EventEmitter } from 'node:events';
import { endOnSignals, type Ending } from './end-on-signals';
import { VirtualClock } from './virtual-clock';

describe('a program that is asked to end', () => {
  const clock = new VirtualClock();
  let signals: EventEmitter;
  let happened: string[];
  let stop: Ending['stop'];

  beforeEach(() => {
    signals = new EventEmitter();
    happened = [];
    stop = () => new Promise(() => undefined);
    endOnSignals(signals, clock, {
      limitMs: 15_000,
      stop: (signal) => {
        happened.push(`stops at ${signal}`);
        return stop(signal);
      },
      end: (end) => void happened.push(end.kind === 'failed' ? `failed: ${String(end.error)}` : end.kind),
    });
  });

  it('ends in order when its stop is complete, and no limit follows', async () => {
    stop = () => Promise.resolve();
    signals.emit('SIGTERM', 'SIGTERM');
    await clock.advance(60_000);
    expect(happened).toEqual(['stops at SIGTERM', 'stopped']);
  });

  it('ends with the error of a stop that fails', async () => {
    stop = () => Promise.reject(new Error('the disk is gone'));
    signals.emit('SIGINT', 'SIGINT');
    await clock.advance(0);
    expect(happened).toEqual(['stops at SIGINT', 'failed: Error: the disk is gone']);
  });

  it('ends at its limit, whatever its stop waits for', async () => {
    signals.emit('SIGTERM', 'SIGTERM');
    await clock.advance(14_999);
    expect(happened).toEqual(['stops at SIGTERM']);
    await clock.advance(1);
    expect(happened).toEqual(['stops at SIGTERM', 'late']);
  });

  it('ends at once at the second signal', async () => {
    signals.emit('SIGTERM', 'SIGTERM');
    await clock.advance(1_000);
    signals.emit('SIGINT', 'SIGINT');
    expect(happened).toEqual(['stops at SIGTERM', 'repeated']);
  });

  it('takes signals within a second for one that was passed on twice, as npm does', async () => {
    signals.emit('SIGINT', 'SIGINT');
    await clock.advance(999);
    signals.emit('SIGTERM', 'SIGTERM');
    expect(happened).toEqual(['stops at SIGINT']);
  });
});
