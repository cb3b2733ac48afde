import { accessSync, constants, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname } from 'node:path';
import { integer, SettingRefused, type SettingsOf, text } from '@libs/settings';

/** What of the history of the simulated broker is kept in memory, and where the rest is. */
export const historySettings = {
  SIM_HISTORY_ROWS: integer({
    default: 50_000,
    min: 256,
    meaning:
      'Deals, and done orders, that stay in memory. Older ones are in a file without a name, which ends with the process.',
  }),
  SIM_HISTORY_DIR: text({
    meaning: 'Folder of the file with the history beyond SIM_HISTORY_ROWS.',
    shape: 'path of a folder',
    defaultText: "unset (that of SIM_STATE_FILE, or the system's temporary folder)",
    check: (path) => {
      if (!isWritableFolder(path)) throw new SettingRefused('must name a folder that can be written');
    },
  }),
};

type HistorySettings = SettingsOf<typeof historySettings> & { readonly SIM_STATE_FILE?: string | undefined };

/** Whether the account is kept over restarts. */
export function isKept(settings: { readonly SIM_STATE_FILE?: string | undefined }): settings is {
  readonly SIM_STATE_FILE: string;
} {
  return settings.SIM_STATE_FILE !== undefined && settings.SIM_STATE_FILE !== 'none';
}

/** The folder of the history that is not kept in memory. */
export function historyFolder({ SIM_HISTORY_DIR, SIM_STATE_FILE }: HistorySettings): string {
  const state = { SIM_STATE_FILE };
  return SIM_HISTORY_DIR ?? (isKept(state) ? dirname(state.SIM_STATE_FILE) : tmpdir());
}

function isWritableFolder(path: string): boolean {
  try {
    accessSync(path, constants.W_OK | constants.X_OK);
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
