import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { strToU8, Zip, ZipDeflate } from 'fflate';

const chunkLength = 256 * 1024;

/** A new zip file that is written part by part, so that a part may be larger than the memory. Only its owner can read it. */
export class ZipFile {
  private readonly file: number;
  private readonly zip: Zip;

  /** @throws Error of the system, also if the file exists */
  constructor(private readonly path: string) {
    this.file = openSync(path, 'wx', 0o600);
    this.zip = new Zip((error, bytes) => {
      if (error) throw error;
      writeSync(this.file, bytes);
    });
  }

  add(name: string, texts: readonly string[]): void {
    const add = this.begin(name);
    for (const text of [...texts, null]) add(text);
  }

  /** Begins a part. The function that is returned takes its text; null ends it. */
  begin(name: string): (text: string | null) => void {
    const part = new ZipDeflate(name);
    this.zip.add(part);
    let waiting = '';
    return (text) => {
      waiting += text ?? '';
      if (text !== null && waiting.length < chunkLength) return;
      part.push(strToU8(waiting), text === null);
      waiting = '';
    };
  }

  end(): void {
    this.zip.end();
    closeSync(this.file);
  }

  /** Leaves no file. */
  discard(): void {
    closeSync(this.file);
    rmSync(this.path, { force: true });
  }
}
