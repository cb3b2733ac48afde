import { Injectable } from '@nestjs/common';
import { Clock } from '@libs/clock';
import { ApiError } from '@libs/envelope';
import { TerminalAccess } from '../terminal/terminal-access';
import { TerminalSession } from '../terminal-session/terminal-session';

/**
 * A client that adds a symbol opens its stream again with all of them. Symbols that were selected within this are not
 * selected again: for twenty symbols on a slow terminal, that would take longer than the client waits.
 */
const lastsMs = 60_000;

/** Makes the terminal quote the symbols of a stream. */
@Injectable()
export class SymbolSelection {
  /** When each symbol was selected, on the monotonic clock. */
  private selectedMs = new Map<string, number>();

  constructor(
    private readonly terminal: TerminalAccess,
    private readonly clock: Clock,
    session: TerminalSession,
  ) {
    // A terminal that was started again may have other symbols in its Market Watch.
    session.onDisconnected(() => (this.selectedMs = new Map()));
  }

  /** @throws ApiError not_found naming the symbols that the broker does not have */
  async select(symbols: readonly string[]): Promise<void> {
    const { selectedMs } = this;
    const nowMs = this.clock.monotonicMs();
    for (const [symbol, ms] of selectedMs) if (nowMs - ms > lastsMs) selectedMs.delete(symbol);
    const missing = symbols.filter((symbol) => !selectedMs.has(symbol));
    const unknown = await this.terminal.read(async (terminal) => {
      const selected = await Promise.all(missing.map((symbol) => terminal.symbolSelect(symbol, true)));
      return missing.filter((_symbol, index) => selected[index] !== true);
    });
    if (unknown.length > 0) throw new ApiError('not_found', `no symbol ${unknown.join(', ').slice(0, 200)}`);
    for (const symbol of missing) selectedMs.set(symbol, nowMs);
  }
}
