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
    const forgotten = this.forgotten(key, addsRisk);
    if (!forgotten) this.journal.bind({ ...identityOf(request), clientOrderId: key });
    return this.noted(request, key, forgotten ?? error);
  }

  /** As {@link of}, and the key stays as it is: the holder of the strategy may use it for another request. */
  unbound(
    request: FastifyRequest,
    key: string | null,
    { addsRisk }: Pick<RouteFacts, 'addsRisk'>,
    error: ApiError,
  ): Promise<ApiError> {
    return this.noted(request, key, this.forgotten(key, addsRisk) ?? error);
  }

  private forgotten(key: string | null, addsRisk: boolean): ApiError | null {
    return addsRisk ? this.journal.forgottenRefusal(key) : null;
  }

  private async noted(request: FastifyRequest, key: string | null, error: ApiError): Promise<ApiError> {
    await this.refusals.note(refusedRequest(request, key), error);
    return error;
  }
}
