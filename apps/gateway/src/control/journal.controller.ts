import { Controller, Post, Req } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { bodyErrors, LocalEndpoint } from '../http/endpoint.decorators';
import { callerOf } from '../http/key-access';
import { ValidBody } from '../http/valid-body.decorator';
import { JournalAcceptance } from './journal-acceptance';
import { AcceptJournalRequest } from './journal.request';
import { JournalAcceptedResponse } from './journal.response';

@ApiTags('control')
@Controller('journal')
export class JournalController {
  constructor(private readonly acceptance: JournalAcceptance) {}

  @Post('accept')
  @LocalEndpoint({
    changes: true,
    summary: 'Accept the trade journal after an earlier one was lost; new risk is allowed again',
    description:
      'A key whose tag an order in 35 days of the account has stays bound: it is looked up, and nothing is sent under it. An ' +
      "order with a client's own comment has no tag: its key is sent again if its client repeats it. Compare GET /reconcile " +
      'with what your clients sent first. While the history of the account may not be loaded, the message names the reason, ' +
      'and new risk under unknown keys is refused; a second call accepts the history as it is shown.',
    response: JournalAcceptedResponse,
    errors: ['validation_error', ...bodyErrors, 'journal_unavailable'],
    ofAccount: true,
    worksWithoutSession: true,
  })
  acceptJournal(
    @ValidBody() body: AcceptJournalRequest,
    @Req() request: FastifyRequest,
  ): Promise<JournalAcceptedResponse> {
    return this.acceptance.accept(callerOf(request), body.journal_id);
  }
}
