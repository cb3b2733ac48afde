import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { TradeAction, tradeRequest } from '@libs/terminal-client';
import { JournalRig } from '../../../apps/gateway/src/trade-journal/testing/journal-rig';

/**
 * Writes a trade journal with a change of levels whose outcome cannot be decided: the look-ups of a gateway take a minute until
 * they state that.
 */
export async function leaveUndecidable(stateDir: string, key: string): Promise<void> {
  const rig = new JournalRig();
  const attempt = rig.begin(key);
  const request = tradeRequest({ action: TradeAction.SLTP, position: 7, sl: 0.6 });
  const levels = { purpose: 'modify_levels', request, serverTimeMsc: 1, positionId: 7, positionVolume: 0.1 } as const;
  const { intentId } = await rig.journal.record(attempt, levels);
  const outcome = {
    kind: 'unknown',
    reason: 'it may have been changed again by a later request',
    result: null,
    lastError: null,
    undecidable: true,
  } as const;
  await rig.journal.settle(attempt, intentId, outcome);
  await rig.journal.complete(attempt, { status: 502, body: '{"ok":false}' });
  await rig.journal.close();
  cpSync(join(rig.folder, 'journal'), join(stateDir, 'trade-journal'), { recursive: true });
  await rig.stop();
}
