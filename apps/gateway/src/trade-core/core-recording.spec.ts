import { CoreReplay, stateLine } from './core-recording';
import { CoreRig, responseTtlMs } from './testing/core-rig';
import { emptyState } from './trade-state';

describe('the recording of a trade core', () => {
  it('has the whole state in its first line', () => {
    const rig = new CoreRig();
    rig.request('a', 'f');
    rig.intend('a', 'close');
    rig.deliver({ type: 'claims found', claims: [[3, { intentId: 'old/0', clientOrderId: null }]] });
    const line = stateLine(rig.core.state, responseTtlMs);
    const replay = new CoreReplay(line);
    const at = { utcMs: 5_000, runningMs: 4_000 };
    const event = { type: 'persisted', write: 1, at };
    const effects = [{ type: 'submit', key: 'a', intentId: 'id1/0' }];
    expect(replay.next(JSON.stringify({ event }))).toBe(JSON.stringify({ event, effects }));
  });

  it('is not read by another version', () => {
    const line = stateLine(emptyState(), responseTtlMs).replace('"version":2', '"version":3');
    expect(() => new CoreReplay(line)).toThrow('the state of a trade core has version 3, not 2');
  });
});
