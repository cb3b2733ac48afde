import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { Gauge } from 'prom-client';
import { Clock } from '@libs/clock';
import { MetricsRegistry } from '@libs/metrics';
import { AccountEvidence } from '../account-evidence/account-evidence';
import { AccountNotices, type OpenNotice } from '../account-evidence/account-notices';
import { PeriodicWork } from '../schedule/periodic-work';
import { SymbolDigits } from '../terminal/symbol-digits';
import { TerminalAccess } from '../terminal/terminal-access';
import { TradeJournal } from '../trade-journal/trade-journal';
import { findOpenDifferences } from './differences';
import type { Difference } from './reconcile.response';
import { journalView } from './reconcile.service';

const periodMs = 5_000;
/** Rows that are kept at most. */
const mostRows = 100;

/** A difference, and since when it is seen. */
export type OpenDifference = Difference & { readonly since: string };

/**
 * The differences between the explained account and the journal, found without being asked: each is listed until it ends. Nothing
 * is read for it: the watcher of the account has the rows.
 */
@Injectable()
export class OpenDifferences implements OnModuleInit {
  private readonly logger = new Logger('differences');
  private known = new Map<string, OpenDifference>();

  constructor(
    private readonly terminal: TerminalAccess,
    private readonly evidence: AccountEvidence,
    private readonly journal: TradeJournal,
    private readonly periodic: PeriodicWork,
    private readonly clock: Clock,
    private readonly notices: AccountNotices,
    private readonly digits: SymbolDigits,
    registry: MetricsRegistry,
  ) {
    const rows = (): readonly OpenDifference[] => [...this.known.values()];
    new Gauge({
      name: 'account_differences',
      help: 'Positions and orders that no request explains, and levels that no request set, by kind.',
      labelNames: ['kind'],
      registers: [registry],
      collect() {
        this.reset();
        for (const { kind } of rows()) this.inc({ kind });
      },
    });
  }

  onModuleInit(): void {
    this.periodic.start('open-differences', periodMs, () => Promise.resolve(this.compare()));
  }

  get rows(): readonly OpenDifference[] {
    return [...this.known.values()].slice(0, mostRows);
  }

  /** Compares an explained account; while it is not explained, the differences stay as they were. */
  compare(): void {
    if (!this.evidence.isExplained) return;
    const since = new Date(this.clock.nowMs()).toISOString();
    const open = { positions: this.terminal.knownPositions(), orders: this.terminal.knownOrders() };
    const claims = open.positions.map(({ identifier }) => this.journal.claim(identifier)?.intentId);
    const intents = this.journal.intents.concerning(
      claims.filter((id) => id !== undefined),
      open.positions.map(({ ticket }) => ticket),
    );
    const found = findOpenDifferences(open, journalView(this.journal, this.digits, intents));
    const now = new Map(
      found.map((row) => [nameOf(row), { ...row, since: this.known.get(nameOf(row))?.since ?? since }]),
    );
    for (const [name, { message }] of now) if (!this.known.has(name)) this.logger.warn(message);
    for (const [name, { message }] of this.known) if (!now.has(name)) this.logger.log(`no longer: ${message}`);
    this.known = now;
    const magicOf = new Map([...open.positions, ...open.orders].map(({ ticket, magic }) => [ticket, magic]));
    const told = this.notices.differences;
    const isSame = told.size === now.size && [...now.keys()].every((name) => told.has(name));
    if (isSame) return;
    const noticed = [...now].map(([name, { since: _, ...row }]): [string, OpenNotice] => {
      return [name, told.get(name) ?? { ...row, magic: magicOf.get(row.ticket ?? 0) ?? 0 }];
    });
    this.notices.setDifferences(new Map(noticed));
  }
}

function nameOf({ kind, ticket, field, actual }: Difference): string {
  return `${kind} ${ticket} ${field} ${actual}`;
}
