import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { ApiError } from '@libs/envelope';
import { TradeJournal } from '../trade-journal/trade-journal';
import { TradeRefusals } from '../trade-journal/trade-refusals';
import { identityOf } from './identity-of';
import { refusedRequest } from './refused-request';
import type { RouteFacts } from './route-facts';

/** Handles trade requests that a guard refuses, before the journal reserves their keys. */
@Injectable()
export class GuardRefusal {
  constructor(
    private readonly journal: TradeJournal,
    private readonly refusals: TradeRefusals,
  ) {}

  /**
   * Binds the key and writes the refusal to the audit log.
   * @returns the error to return: `journal_lost` instead of the guard's own if a lost journal may have contained the
   * key
   */
  async of(
    request: FastifyRequest,
    key: string | null,
    { addsRisk }: Pick<RouteFacts, 'addsRisk'>,
    error: ApiError,
  ): Promise<ApiError> {
    const forgotten = addsRisk ? this.journal.forgottenRefusal(key) : null;
    if (!forgotten) this.journal.bind({ ...identityOf(request), clientOrderId: key });
    await this.refusals.note(refusedRequest(request, key), forgotten ?? error);
    return forgotten ?? error;
  }
}
