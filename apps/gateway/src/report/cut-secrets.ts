/** Of a part that is shorter, nothing can be told. */
const shortestPart = 4;
const shortestSecret = 8;

/** Finds the beginning or the end of a known secret where a text was cut. */
export class CutSecrets {
  private readonly begins = new Set<string>();
  private readonly ends = new Set<string>();
  private longest = 0;

  add(secret: string): void {
    if (secret.length < shortestSecret) return;
    this.longest = Math.max(this.longest, secret.length - 1);
    for (let length = shortestPart; length < secret.length; length += 1) {
      this.begins.add(secret.slice(0, length));
      this.ends.add(secret.slice(-length));
    }
  }

  /** Hides the beginning of a secret at the end of a text, and the end of one at its beginning. */
  without(text: string, hidden: string): string {
    const [, whole = '', dots = ''] = /^([^]*?)(…|\.{3})?$/.exec(text) ?? [];
    const atEnd = this.found((length) => whole.slice(-length), whole.length, this.begins);
    const left = atEnd === 0 ? whole : `${whole.slice(0, -atEnd)}${hidden}`;
    const atBegin = this.found((length) => left.slice(0, length), left.length, this.ends);
    return `${atBegin === 0 ? left : `${hidden}${left.slice(atBegin)}`}${dots}`;
  }

  /** Length of the longest part that is one of these; 0 for none. */
  private found(part: (length: number) => string, most: number, parts: ReadonlySet<string>): number {
    for (let length = Math.min(this.longest, most); length >= shortestPart; length -= 1) {
      if (parts.has(part(length))) return length;
    }
    return 0;
  }
}
