interface Terminal {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

const wide = 40;

/** Draws how far something is, from 0 to 1, on a terminal; keeps quiet where nobody watches. */
export function progressBar(out: Terminal): (share: number) => void {
  let drawn = -1;
  return (share) => {
    const percent = Math.round(Math.min(1, Math.max(0, share)) * 100);
    if (!out.isTTY || percent === drawn) return;
    drawn = percent;
    const filled = Math.round((percent / 100) * wide);
    out.write(`\r[${'#'.repeat(filled)}${'.'.repeat(wide - filled)}] ${percent} %`);
    // Gone when it is done: what stays on the screen is the report.
    if (share >= 1) out.write(`\r${' '.repeat(wide + 8)}\r`);
  };
}
