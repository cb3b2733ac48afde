import { TradeAction } from '@libs/terminal-client';
import type { SendRecord } from '../sends';
import { change } from '../testing/sample';
import { changesOverlap, expirationLost, protectionLost, type WantedLevels } from './protection';

describe('protection changes only on request', () => {
  const standing = { sl: 1, tp: 2 };
  const lost = (made: SendRecord, wanted: WantedLevels, ...others: SendRecord[]): string[] =>
    protectionLost(made, wanted, others, 5_000);

  it('fails when a level changes that was to stay', () => {
    expect(lost(change({ standing, request: { sl: 1.1, tp: 0 } }), { sl: 1.1 })).toHaveLength(1);
    expect(lost(change({ standing, request: { sl: 1.1, tp: 2 } }), { sl: 1.1 })).toEqual([]);
  });

  it('fails when a level becomes another one than was asked for', () => {
    expect(lost(change({ standing, request: { sl: 0, tp: 2 } }), { sl: 1.1 })).toHaveLength(1);
    expect(lost(change({ standing, request: { sl: 0, tp: 2 } }), { sl: null })).toEqual([]);
  });

  describe('when a change that was given up is executed late', () => {
    const late = change({ answeredAtMs: 80_000, executedAtMs: 99_000, replaced: { sl: 1, tp: 3 } });
    const next = change({ standing, request: { sl: 1.1, tp: 3 } });

    it('holds for what it replaced between the read and the send', () => {
      expect(lost(next, { sl: 1.1 }, late)).toEqual([]);
      expect(lost(next, { sl: 1.1 }, { ...late, answeredAtMs: null })).toEqual([]);
    });

    it('fails for other levels, for an earlier execution, and for a change that was not given up', () => {
      expect(lost({ ...next, request: { ...next.request, tp: 0 } }, { sl: 1.1 }, late)).toHaveLength(1);
      expect(lost({ ...next, request: { ...next.request, sl: 1 } }, { sl: 1.1 }, late)).toHaveLength(1);
      expect(lost(next, { sl: 1.1 }, { ...late, executedAtMs: 90_000 })).toHaveLength(1);
      expect(lost(next, { sl: 1.1 }, { ...late, answeredAtMs: 99_500 })).toHaveLength(1);
    });
  });

  it('fails when the expiration of an order changes otherwise than a client asked', () => {
    const made = (fields: object): SendRecord =>
      change({
        standing: { ...standing, expiration: { time: 2, seconds: 9 } },
        request: { action: TradeAction.MODIFY, position: 0, order: 5, ...fields },
      });
    expect(expirationLost(made({ type_time: 0 }), null)).toHaveLength(1);
    expect(expirationLost(made({ type_time: 2, expiration: 8 }), null)).toHaveLength(1);
    expect(expirationLost(made({ type_time: 2, expiration: 9 }), null)).toEqual([]);
    expect(expirationLost(change({ standing }), null)).toEqual([]);
    expect(expirationLost(made({ type_time: 2, expiration: 8 }), 8)).toEqual([]);
    expect(expirationLost(made({ type_time: 2, expiration: 9 }), 8)).toHaveLength(1);
    expect(expirationLost(made({ type_time: 0, expiration: 8 }), 8)).toHaveLength(1);
  });

  it('fails when two changes of one position overlap', () => {
    expect(changesOverlap(change({ number: 2 }), [change()])).toHaveLength(1);
    expect(changesOverlap(change({ number: 2 }), [change({ answeredAtMs: 90_000 })])).toEqual([]);
    expect(changesOverlap(change({ number: 2, run: 2 }), [change()])).toEqual([]);
  });
});
