import { Controller, Get, Param, Put, Req } from '@nestjs/common';
import { ApiParam, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { ApiError, collection, single } from '@libs/envelope';
import { bodyErrors, LocalEndpoint } from '../http/endpoint.decorators';
import { requireFenceName } from '../http/fence-of';
import { ValidBody } from '../http/valid-body.decorator';
import { TradeJournal } from '../trade-journal/trade-journal';
import { RaiseFenceRequest } from './fence.request';
import { FenceResponse, fenceRow, FencesResponse } from './fence.response';
import { RaiseFenceService } from './raise-fence.service';

@ApiTags('control')
@Controller('fences')
export class FencesController {
  constructor(
    private readonly journal: TradeJournal,
    private readonly raising: RaiseFenceService,
  ) {}

  @Get()
  @LocalEndpoint({ summary: 'The fences of all strategies', response: FencesResponse, changes: false, ofAccount: true })
  listFences(): FencesResponse {
    return collection(this.journal.fences.all().map(fenceRow));
  }

  @Get(':strategy')
  @LocalEndpoint({
    summary: 'The fence of a strategy',
    response: FenceResponse,
    errors: ['validation_error', 'not_found'],
    changes: false,
    ofAccount: true,
  })
  @ApiParam({ name: 'strategy', example: 'trend' })
  getFence(@Param('strategy') strategy: string): FenceResponse {
    const fence = this.journal.fences.find(requireFenceName(strategy));
    if (!fence) throw new ApiError('not_found', `no fence ${strategy}`);
    return single(fenceRow(fence));
  }

  @Put(':strategy')
  @LocalEndpoint({
    summary: 'Raise the fence of a strategy, so that no other holder can trade for it',
    description:
      'The answer proves that the token is on disk, and that every send under a lower token has its outcome or is ' +
      'marked unknown. It is 503 `fence_pending` if a send is still in flight after TERMINAL_TRADE_TIMEOUT_MS and 5 s; ' +
      'repeat the request. The stored token is idempotent, and a lower one is 409 `fence_conflict` with the stored one ' +
      'in `details`. After the trade journal was lost or restored, the token must exceed that of `details`.',
    response: FenceResponse,
    errors: ['validation_error', 'fence_conflict', 'fence_pending', 'journal_unavailable', ...bodyErrors],
    changes: true,
    ofAccount: true,
  })
  @ApiParam({ name: 'strategy', example: 'trend' })
  async raiseFence(
    @Param('strategy') strategy: string,
    @ValidBody() body: RaiseFenceRequest,
    @Req() request: FastifyRequest,
  ): Promise<FenceResponse> {
    const wanted = { token: body.token, magics: body.magics ?? [] };
    return single(fenceRow(await this.raising.raise(requireFenceName(strategy), wanted, request.id)));
  }
}
