import { Injectable } from '@nestjs/common';
import { Clock } from '@libs/clock';
import type { TerminalClient } from '@libs/terminal-client';
import { TerminalSession } from '../terminal-session/terminal-session';

/** The most symbols to remember; a broker has thousands, a client trades a handful. */
const remembered = 1_000;
/** How long a session may take to load the symbols of the one before it, milliseconds. */
const loadingMs = 600_000;
/** How long a session may take to load symbols that were never read, milliseconds. */
const loadingOthersMs = 60_000;

/**
 * The symbols that this program selected in the terminal's Market Watch: the terminal quotes only these, and each
 * selection takes a call of it. A user of the terminal can remove one at any time.
 */
@Injectable()
export class SelectedSymbols {
  private selected = new Set<string>();
  /** Symbols of which this session has shown bars or ticks: they need not be selected. */
  private shown = new Set<string>();
  /** Symbols of the sessions before. */
  private before: ReadonlySet<string> = new Set();
  private connectedAtMs = -Infinity;
  private sessions = 0;

  constructor(
    session: TerminalSession,
    private readonly clock: Clock,
  ) {
    session.onConnected(() => {
      this.connectedAtMs = clock.monotonicMs();
      this.sessions += 1;
    });
    // A terminal that was started again may have other symbols in its Market Watch.
    session.onDisconnected(() => {
      this.before = new Set([...this.before, ...this.shown, ...this.selected].slice(-remembered));
      this.selected = new Set();
      this.shown = new Set();
    });
  }

  /** The symbols that earlier sessions had and that this one has not shown: it may not have loaded them yet. */
  get awaited(): readonly string[] {
    if (this.sessionMs >= loadingMs) return [];
    return [...this.before].filter((symbol) => !this.selected.has(symbol) && !this.shown.has(symbol));
  }

  /**
   * Whether a symbol that the terminal does not show may not be loaded yet.
   * @param isReturning whether the account was known before this session: nothing contradicts the first list of a first session
   */
  isLoading(symbol: string, isReturning: boolean): boolean {
    if (this.sessionMs >= loadingMs) return false;
    return this.before.has(symbol) || (this.sessionMs < loadingOthersMs && (isReturning || this.sessions > 1));
  }

  private get sessionMs(): number {
    return this.clock.monotonicMs() - this.connectedAtMs;
  }

  /** Whether the symbol was selected since the terminal was connected. */
  has(symbol: string): boolean {
    return this.selected.has(symbol);
  }

  /** Remembers a symbol of which this session has shown bars or ticks. */
  noteShown(symbol: string): void {
    if (this.shown.size >= remembered) this.shown.clear();
    this.shown.add(symbol);
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
