import { Injectable } from '@nestjs/common';
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
  private selected = new Set<string>();

  constructor(session: TerminalSession) {
    // A terminal that was started again may have other symbols in its Market Watch.
    session.onDisconnected(() => (this.selected = new Set()));
  }

  /** Whether the symbol was selected since the terminal was connected. */
  has(symbol: string): boolean {
    return this.selected.has(symbol);
  }

  /** Selects the symbol, and remembers it. Returns false for a symbol that the broker does not have. */
  async select(terminal: TerminalClient, symbol: string): Promise<boolean> {
    // A disconnection during the call must end what is remembered of it as well.
    const { selected } = this;
    if (!(await terminal.symbolSelect(symbol, true))) return false;
    if (selected.size >= remembered) selected.clear();
    selected.add(symbol);
    return true;
  }
}
