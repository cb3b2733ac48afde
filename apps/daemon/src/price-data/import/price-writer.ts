import { closeSync, existsSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { makeFoldersSync } from '@libs/files';
import { ImportError } from './source-text';

/** A price file to write. */
export interface WrittenFile {
  readonly path: string;
  readonly header: string;
}

/** Characters that are written at a time. */
const pieceLength = 1_048_576;

/** Writes price files row by row, beside each other. They get their names together, or none does. */
export class PriceWriter {
  private readonly texts: string[];
  private readonly handles: number[];

  constructor(private readonly files: readonly WrittenFile[]) {
    for (const { path } of files) makeFoldersSync(dirname(path));
    this.texts = files.map(({ header }) => `${header}\n`);
    this.handles = files.map(({ path }) => openSync(`${path}.new`, 'w'));
  }

  /** @param cells of the row in each file, without the time */
  add(timeMs: number, cells: readonly (readonly string[])[]): void {
    const time = timeText(timeMs);
    for (let file = 0; file < cells.length; file++) {
      const text = `${this.texts[file]}${time},${cells[file]?.join(',')}\n`;
      this.texts[file] = text;
      if (text.length >= pieceLength) this.flush(file);
    }
  }

  /**
   * Gives the files their names, and writes their description.
   * @param paths of the files, in their order
   * @param origin what the description states
   * @throws ImportError if one of the files exists, or the description
   */
  finish(paths: readonly string[], description: string, origin: Readonly<Record<string, unknown>>): void {
    const taken = [...paths, description].find((path) => existsSync(path));
    if (taken !== undefined) throw new ImportError(`${taken} exists: delete it, or use another --store`);
    this.close();
    writeFileSync(description, `${JSON.stringify(origin, null, 2)}\n`);
    for (const [index, { path }] of this.files.entries()) renameSync(`${path}.new`, paths[index] ?? path);
  }

  /** Removes what was written. */
  discard(): void {
    for (const handle of this.handles.splice(0)) closeSync(handle);
    for (const { path } of this.files) rmSync(`${path}.new`, { force: true });
  }

  private close(): void {
    for (const file of this.files.keys()) this.flush(file);
    for (const handle of this.handles.splice(0)) closeSync(handle);
  }

  private flush(file: number): void {
    const handle = this.handles[file];
    if (handle !== undefined) writeFileSync(handle, this.texts[file] ?? '');
    this.texts[file] = '';
  }
}

/** The time of a row as price files have it. */
export function timeText(timeMs: number): string {
  return new Date(timeMs).toISOString().replace('T', ' ').replace('.000Z', '+00:00').replace('Z', '+00:00');
}
