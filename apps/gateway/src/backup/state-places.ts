import type { GatewaySettings } from '../gateway.config';
import { engagedFile } from '../kill-switch/halt-files';
import { journalFolder } from '../trade-journal/journal.store';

/** Where a gateway keeps what a backup holds. */
export interface StatePlaces {
  /** Folder of the trade journal. */
  readonly journal: string;
  readonly auditFile: string;
  /** Trading is halted while one of these exists; the first one is the kill-switch file. */
  readonly haltFiles: readonly [string, string];
}

export function statePlaces(
  settings: Pick<GatewaySettings, 'STATE_DIR' | 'ORDER_AUDIT_FILE' | 'KILL_SWITCH_FILE'>,
): StatePlaces {
  return {
    journal: journalFolder(settings.STATE_DIR),
    auditFile: settings.ORDER_AUDIT_FILE,
    haltFiles: [settings.KILL_SWITCH_FILE, engagedFile(settings.STATE_DIR)],
  };
}
