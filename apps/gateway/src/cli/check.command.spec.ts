import type { NotificationChannel } from '@libs/gateway-client';
import { alertsFinding } from './check.command';

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
