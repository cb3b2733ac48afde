interface Terminal {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

const wide = 40;

/** Draws a progress bar for a share of 0 to 1; does nothing if the output is not a terminal. */
export function progressBar(out: Terminal): (share: number) => void {
  let drawn = -1;
  return (share) => {
    const percent = Math.round(Math.min(1, Math.max(0, share)) * 100);
    if (!out.isTTY || percent === drawn) return;
    drawn = percent;
    const filled = Math.round((percent / 100) * wide);
    out.write(`\r[${'#'.repeat(filled)}${'.'.repeat(wide - filled)}] ${percent} %`);
    // Cleared when complete, so that only the report stays on the screen.
    if (share >= 1) out.write(`\r${' '.repeat(wide + 8)}\r`);
  };
}
