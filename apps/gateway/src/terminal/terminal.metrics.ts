import { counter, gauge } from '@libs/metrics';
import { TerminalSession } from '../terminal-session/terminal-session';

/** Metrics of the session, read at each scrape. */
export const terminalMetrics = [
  gauge({
    name: 'terminal_connected',
    help: '1 while the terminal session is verified, else 0.',
    inject: [TerminalSession],
    collect(session: TerminalSession) {
      this.set(session.status().state === 'connected' ? 1 : 0);
    },
  }),
  counter({
    name: 'terminal_reconnects_total',
    help: 'Sessions restored after a loss.',
    inject: [TerminalSession],
    collect(session: TerminalSession) {
      this.reset();
      this.inc(session.reconnectsTotal);
    },
  }),
];
