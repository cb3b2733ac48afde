import { Injectable } from '@nestjs/common';
import { AuditTrail } from '../audit/audit-trail';
import type { Caller } from '../audit/caller';
import { TerminalAccess } from '../terminal/terminal-access';
import { TradeJournal } from '../trade-journal/trade-journal';
import { tradeRequestReport } from './trade-request-report';
import type { TradeRequestResponse } from './trade-request.response';

/** Makes keys void: the only proof that a request in transit will not execute. */
@Injectable()
export class VoidKeyService {
  constructor(
    private readonly journal: TradeJournal,
    private readonly audit: AuditTrail,
    private readonly terminal: TerminalAccess,
  ) {}

  /** @throws ApiError journal_unavailable if the void is not on disk */
  async makeVoid(key: string, caller: Caller): Promise<TradeRequestResponse> {
    const wasKnown = this.journal.isVoid(key);
    const known = await this.journal.makeVoid(key, this.terminal.login);
    const report = tradeRequestReport(key, known, caller.request_id);
    if (report.status === 'void' && !wasKnown) {
      const route = 'PUT /trade_requests/:key/void';
      await this.audit.note({ event: 'voided', ...caller, client_order_id: key, route });
    }
    return report;
  }
}
