import { isUndone, outcomeText, reasonText, sentText } from './recent-request';

const none = { error_type: null, setting: null, retcode_name: null, sends: 1 } as const;

describe('a row of the recent requests', () => {
  it.each([
    [{ outcome: 'done', ...none, retcode_name: 'DONE' }, 'done', ''],
    [{ outcome: 'done', ...none, sends: 3 }, 'done', '3 sends'],
    [{ outcome: 'rejected', ...none, error_type: 'broker_rejected', retcode_name: 'NO_MONEY' }, 'rejected', 'NO_MONEY'],
    [{ outcome: 'rejected', ...none, error_type: 'broker_rejected' }, 'rejected', 'broker rejected'],
    [
      { outcome: 'refused', ...none, error_type: 'volume_limit_exceeded', setting: 'MAX_ORDER_VOLUME' },
      ...(['refused', 'volume limit exceeded (MAX_ORDER_VOLUME)'] as const),
    ],
    [{ outcome: 'unknown', ...none }, 'unknown', 'the broker may have acted'],
    [{ outcome: 'accepted', ...none }, 'unknown', 'an operator accepted that it stays unknown'],
    [{ outcome: 'absent', ...none }, 'not done', 'the look-up found no trace of it'],
  ] as const)('says what came of %j', (row, outcome, reason) => {
    expect(outcomeText(row)).toBe(outcome);
    expect(reasonText(row)).toBe(reason);
  });

  it('has its day only if it is not today', () => {
    expect(sentText('2026-01-05T10:00:00.250Z', '2026-01-05')).toBe('10:00:00');
    expect(sentText('2026-01-04T23:59:59.999Z', '2026-01-05')).toBe('2026-01-04 23:59:59');
  });

  it('counts what is unknown as not done', () => {
    expect(isUndone({ outcome: 'unknown' })).toBe(true);
    expect(isUndone({ outcome: 'done' })).toBe(false);
  });
});
