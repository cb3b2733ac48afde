import { Injectable } from '@nestjs/common';
import { Clock } from '@libs/clock';
import type { TerminalClient } from '@libs/terminal-client';
import { TerminalSession } from '../terminal-session/terminal-session';

/** The most symbols to remember; a broker has thousands, a client trades a handful. */
const remembered = 1_000;
/** How long a session may take to load the symbols of the one before it, milliseconds. */
const loadingMs = 600_000;

/**
 * The symbols that this program selected in the terminal's Market Watch: the terminal quotes only these, and each
 * selection takes a call of it. A user of the terminal can remove one at any time.
 */
@Injectable()
export class SelectedSymbols {
  private selected = new Set<string>();

  /** Symbols of the sessions before. */
  private before: ReadonlySet<string> = new Set();
  private connectedAtMs = -Infinity;

  constructor(
    session: TerminalSession,
    private readonly clock: Clock,
  ) {
    session.onConnected(() => (this.connectedAtMs = clock.monotonicMs()));
    // A terminal that was started again may have other symbols in its Market Watch.
    session.onDisconnected(() => {
      this.before = new Set([...this.before, ...this.selected].slice(-remembered));
      this.selected = new Set();
    });
  }

  /** Whether a symbol that the terminal does not show may not be loaded yet: a session before this one had it. */
  isLoading(symbol: string): boolean {
    return this.before.has(symbol) && this.clock.monotonicMs() - this.connectedAtMs < loadingMs;
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
