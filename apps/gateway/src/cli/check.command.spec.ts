import type { NotificationChannel } from '@libs/gateway-client';
import { alertsFinding, booksFindings } from './check.command';

const ops: NotificationChannel = {
  ...{ name: 'ops', type: 'webhook', state: 'ok', waiting: 0, oldest_at: null, set_aside: 0, failures: 0 },
  last_error: null,
};

describe('a channel of alerts in `gateway check`', () => {
  it('is fine while everything is delivered', () => {
    expect(alertsFinding(ops)).toEqual({ what: 'alerts ops', ok: true, detail: '0 waiting, 0 set aside' });
  });

  it('needs an operator while it fails, and as long as a message is set aside', () => {
    const failing = { ...ops, state: 'failing', waiting: 3, last_error: 'HTTP 503' } as const;
    expect(alertsFinding(failing)).toMatchObject({ ok: false, detail: '3 waiting, 0 set aside, last error HTTP 503' });
    expect(alertsFinding({ ...ops, set_aside: 1 })).toMatchObject({ ok: false });
  });
});

describe('the books in `gateway check`', () => {
  const row = { ticket: 5, symbol: 'EURUSD', field: null, expected: null, actual: null, message: 'm' };
  const unresolved = {
    ...{ client_order_id: 'k', id: 'i', request_id: 'r', route: 'POST /order', created_at: '', sends: [] },
  };

  it('are not blamed for what may be the effect of a request of unknown outcome', () => {
    const undecided = { ...row, kind: 'undecided', intent_id: 'i/0' } as const;
    expect(booksFindings({ unresolved: [unresolved], differences: [undecided] })).toEqual([
      { what: 'outcomes', ok: false, detail: '1 request has an unknown outcome' },
      { what: 'books', ok: true, detail: '0 differences from the journal' },
    ]);
  });

  it('need an operator for a tag that belongs to no request', () => {
    const tagged = { ...row, kind: 'undecided', intent_id: null } as const;
    expect(booksFindings({ unresolved: [], differences: [tagged] })).toMatchObject([{ ok: true }, { ok: false }]);
  });
});
