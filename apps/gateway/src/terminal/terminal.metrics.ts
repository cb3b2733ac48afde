import { Injectable } from '@nestjs/common';
import { Counter, Gauge } from 'prom-client';
import { MetricsRegistry } from '@libs/metrics';
import { TerminalSession } from '../terminal-session/terminal-session';

/** Metrics of the session, read at each scrape. */
@Injectable()
export class TerminalMetrics {
  constructor(registry: MetricsRegistry, session: TerminalSession) {
    new Gauge({
      name: 'terminal_connected',
      help: '1 while the terminal session is verified, else 0.',
      registers: [registry],
      collect() {
        this.set(session.status().state === 'connected' ? 1 : 0);
      },
    });
    new Counter({
      name: 'terminal_reconnects_total',
      help: 'Sessions restored after a loss.',
      registers: [registry],
      collect() {
        this.reset();
        this.inc(session.reconnectsTotal);
      },
    });
  }
}
