import { Injectable } from '@nestjs/common';
import { Clock } from '@libs/clock';
import type { TerminalClient } from '@libs/terminal-client';
import { TerminalSession } from '../terminal-session/terminal-session';

/** The most symbols to remember; a broker has thousands, a client trades a handful. */
const remembered = 1_000;

/**
 * The symbols that this program selected in the terminal's Market Watch: the terminal quotes only these, and each
 * selection takes a call of it. A user of the terminal can remove one at any time.
 */
@Injectable()
export class SelectedSymbols {
  /** When each symbol was selected, on the monotonic clock. */
  private selectedMs = new Map<string, number>();

  constructor(
    private readonly clock: Clock,
    session: TerminalSession,
  ) {
    // A terminal that was started again may have other symbols in its Market Watch.
    session.onDisconnected(() => (this.selectedMs = new Map()));
  }

  /** Whether the symbol was selected within this time, in milliseconds, and since the terminal was connected. */
  has(symbol: string, withinMs = Infinity): boolean {
    const ms = this.selectedMs.get(symbol);
    return ms !== undefined && this.clock.monotonicMs() - ms <= withinMs;
  }

  /** Selects the symbol, and remembers it. Returns false for a symbol that the broker does not have. */
  async select(terminal: TerminalClient, symbol: string): Promise<boolean> {
    // A disconnection during the call must end what is remembered of it as well.
    const { selectedMs } = this;
    if (!(await terminal.symbolSelect(symbol, true))) return false;
    if (selectedMs.size >= remembered) selectedMs.clear();
    selectedMs.set(symbol, this.clock.monotonicMs());
    return true;
  }
}
