import { Controller, Post, Query, Req, Res } from '@nestjs/common';
import { ApiQuery, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { LocalEndpoint } from '../http/endpoint.decorators';
import { QueryReader } from '../http/query-reader';
import { KillResponse, ReleaseResponse } from './control.response';
import { HaltService } from './halt.service';

@ApiTags('control')
@Controller('kill')
export class ControlController {
  constructor(private readonly halt: HaltService) {}

  @Post()
  @LocalEndpoint({
    summary: 'Engage the kill switch: trading is halted',
    description: 'With `flatten=true` every pending order is then cancelled and every position closed.',
    response: KillResponse,
    errors: ['validation_error', 'terminal_unavailable', 'reconnect_cooldown', 'journal_unavailable'],
  })
  @ApiQuery({ name: 'flatten', required: false, schema: { type: 'boolean', default: false } })
  @ApiResponse({ status: 207, type: KillResponse, description: 'Halted, but something could not be flattened.' })
  async kill(
    @Query() raw: Record<string, unknown>,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<KillResponse> {
    const query = new QueryReader(raw);
    const flatten = query.boolean('flatten') ?? false;
    query.finish();
    const response = await this.halt.engage(request.id, flatten);
    if (response.flatten?.complete === false) void reply.status(207);
    return response;
  }

  @Post('release')
  @LocalEndpoint({ summary: 'Release the kill switch: trading resumes', response: ReleaseResponse })
  async release(@Req() request: FastifyRequest): Promise<ReleaseResponse> {
    return this.halt.release(request.id);
  }
}
