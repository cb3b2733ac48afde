import { isAbsolute } from 'node:path';

/** A command of `backup` to the gateway that runs. */
export type BackupCommand =
  /** Answers, which proves that a gateway uses the state directory. */
  | { readonly command: 'ping' }
  /** Copies the trade journal to a folder, an absolute path. */
  | { readonly command: 'copy-journal'; readonly folder: string };

/** Parses a command; null if the text is not one. */
export function backupCommandOf(text: string): BackupCommand | null {
  try {
    const { command, folder } = JSON.parse(text) as Readonly<Record<string, unknown>>;
    if (command === 'ping') return { command };
    const isFolder = typeof folder === 'string' && isAbsolute(folder);
    return command === 'copy-journal' && isFolder ? { command, folder } : null;
  } catch {
    return null;
  }
}
