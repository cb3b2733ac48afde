import { join } from 'node:path';
import { machineFiles } from '@libs/files';
import { TradeAction, tradeRequest } from '@libs/terminal-client';
import { AuditLog } from '../audit/audit-log';
import { AuditTrail } from '../audit/audit-trail';
import { JournalRig } from '../trade-journal/testing/journal-rig';
import { AcceptOutcomeService } from './accept-outcome.service';

const silent = { error: () => undefined };
const undecidable = {
  kind: 'unknown',
  reason: 'changed again',
  result: null,
  lastError: null,
  undecidable: true,
} as const;

describe('accepting an unknown outcome', () => {
  let rig: JournalRig;
  let log: AuditLog;
  beforeEach(() => {
    rig = new JournalRig();
    log = new AuditLog(machineFiles, join(rig.folder, 'audit.jsonl'), rig.clock);
  });
  afterEach(async () => {
    await log.close();
    await rig.stop();
  });

  const accepting = (): AcceptOutcomeService => new AcceptOutcomeService(rig.journal, new AuditTrail(log, silent));
  async function left(key: string): Promise<void> {
    const attempt = rig.begin(key);
    const request = tradeRequest({ action: TradeAction.SLTP, position: 7, sl: 0.6 });
    const intent = { purpose: 'modify_levels', request, serverTimeMsc: 1, positionId: 7, positionVolume: 0.1 } as const;
    const { intentId } = await rig.journal.record(attempt, intent);
    await rig.journal.settle(attempt, intentId, undecidable);
    await rig.journal.complete(attempt, { status: 502, body: '{"ok":false}' });
  }

  it('is not reported before it is on disk, even on repeated requests', async () => {
    await left('k');
    rig.disk.full = true;
    for (let times = 0; times < 2; times++) {
      await expect(
        accepting().accept('k', { request_id: 'r', api_key: 'primary', trace_id: '4bf92f3577b34da6a3ce929d0e0e4736' }),
      ).rejects.toMatchObject({
        errorType: 'journal_unavailable',
      });
    }
    rig.disk.full = false;
    await rig.journal.sweep();
    expect(
      await accepting().accept('k', {
        request_id: 'r',
        api_key: 'primary',
        trace_id: '4bf92f3577b34da6a3ce929d0e0e4736',
      }),
    ).toMatchObject({
      status: 'accepted',
    });
    await rig.restart();
    expect(
      await accepting().accept('k', {
        request_id: 'r',
        api_key: 'primary',
        trace_id: '4bf92f3577b34da6a3ce929d0e0e4736',
      }),
    ).toMatchObject({
      status: 'accepted',
    });
  });
});
