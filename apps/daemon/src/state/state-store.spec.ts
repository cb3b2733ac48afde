import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { IntentRecord, OwnedTicket } from './records';
import { StateStore } from './state-store';

const ticket: OwnedTicket = {
  strategy: 'ema',
  broker: 'demo',
  ticket: 7,
  stream: 'eur',
  symbol: 'EURUSD',
  intentId: 'i1',
  deals: [],
  volumeIn: '0',
  volumeOut: '0',
  closed: false,
};
const intent: IntentRecord = {
  key: 'k1',
  strategy: 'ema',
  broker: 'demo',
  intentId: 'i1',
  stream: 'eur',
  symbol: 'EURUSD',
  ticket: null,
  call: { method: 'POST', path: '/order', body: { symbol: 'EURUSD' } },
  isEntry: true,
  createdAtMs: 0,
  state: 'open',
  outcome: null,
};

describe('the state directory', () => {
  it('remembers over a restart what is open, and forgets nothing of what is not', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'state-'));
    const before = StateStore.open(dir);
    await before.write({ tickets: [ticket, { ...ticket, ticket: 8, closed: true }], intents: [intent] });
    await before.close();
    const after = StateStore.open(dir);
    expect(after.openTickets('ema')).toEqual([ticket]);
    expect(after.openTickets('other')).toEqual([]);
    expect(after.ticket('demo', 8)).toMatchObject({ closed: true });
    expect(after.ticket('live', 8)).toBeNull();
    expect(after.openIntents('ema')).toEqual([intent]);
    await after.write({ intents: [{ ...intent, state: 'done' }] });
    expect(after.openIntents('ema')).toEqual([]);
    await after.close();
  });
});
