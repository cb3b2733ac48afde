import { Injectable } from '@nestjs/common';
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
    private readonly terminal: TerminalAccess,
  ) {}

  /** @throws ApiError journal_unavailable if the void is not on disk */
  async makeVoid(key: string, caller: Caller): Promise<TradeRequestResponse> {
    const facts = { ...caller, client_order_id: key, route: 'PUT /trade_requests/:key/void' };
    const known = await this.journal.makeVoid(key, this.terminal.login, { event: 'voided', ...facts });
    return tradeRequestReport(key, known, caller.request_id);
  }
}
