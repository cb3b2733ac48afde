import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

export interface TerminalPlaceOptions {
  /** Folders under which installers put a terminal, each in a folder of its own. */
  readonly folders: readonly string[];
  /** The program's file name, `terminal64.exe`. */
  readonly image: string;
}

/** One terminal on disk, and the modification time of its file. */
export interface FoundTerminal {
  readonly executable: string;
  readonly touchedMs: number;
  readonly bytes: number;
}

/** Every terminal on disk, most recently installed first; broker-specific ones have folders of other names. */
export async function findTerminals({ folders, image }: TerminalPlaceOptions): Promise<FoundTerminal[]> {
  const candidates = await Promise.all(
    folders.map(async (folder) => {
      const inside = await readdir(folder, { withFileTypes: true }).catch(() => []);
      const homes = inside.filter((entry) => entry.isDirectory()).map((entry) => join(folder, entry.name));
      return [folder, ...homes].map((home) => join(home, image));
    }),
  );
  const found = await Promise.all(candidates.flat().map(inspect));
  return found.filter((terminal) => terminal !== undefined).sort((a, b) => b.touchedMs - a.touchedMs);
}

async function inspect(executable: string): Promise<FoundTerminal | undefined> {
  const facts = await stat(executable).catch(() => undefined);
  return facts?.isFile() ? { executable, touchedMs: facts.ctimeMs, bytes: facts.size } : undefined;
}
