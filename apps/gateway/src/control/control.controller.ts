import { Controller, Post, Req, Res } from '@nestjs/common';
import { ApiBody, ApiQuery, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { LocalEndpoint } from '../http/endpoint.decorators';
import { callerOf } from '../http/key-access';
import { KillErrorResponse, KillResponse, ReleaseResponse } from './control.response';
import { flattenWish, type RawBody } from './flatten-wish';
import { haltOf } from './halt-first';
import { HaltService } from './halt.service';

const flattenSchema = { type: 'object', properties: { flatten: { type: 'boolean', default: false } } } as const;

@ApiTags('control')
@Controller('kill')
export class ControlController {
  constructor(private readonly halt: HaltService) {}

  @Post()
  @LocalEndpoint({
    changes: true,
    readsOwnQuery: true,
    summary: 'Engage the kill switch: trading is halted',
    description:
      'Halts trading before the request is validated: every response except 401 means that ' +
      'trading is halted, and errors carry `kill_switch_active: true`. With `flatten` (query, JSON or form body; true, ' +
      '1, yes or on) every pending order is then cancelled and every position closed. An invalid `flatten` ' +
      'is answered with 400. If the kill-switch file cannot be created, the response is 503 `kill_switch_file_error` and the halt is held ' +
      'in memory until the file can be created.',
    response: KillResponse,
    errors: [
      'validation_error',
      'kill_switch_file_error',
      'terminal_unavailable',
      'reconnect_cooldown',
      'journal_unavailable',
    ],
    errorBodies: { 400: KillErrorResponse, 500: KillErrorResponse, 503: KillErrorResponse },
  })
  @ApiQuery({ name: 'flatten', required: false, schema: { type: 'boolean', default: false } })
  @ApiBody({ required: false, schema: flattenSchema })
  @ApiResponse({
    status: 207,
    type: KillResponse,
    description: 'Trading is halted, but some orders or positions could not be flattened.',
  })
  async engageKillSwitch(
    @Req() request: FastifyRequest<{ Body: RawBody | undefined }>,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<KillResponse> {
    const halt = await haltOf(request, this.halt);
    const response = await this.halt.answer(callerOf(request), halt, flattenWish(request.query, request.body));
    if (response.flatten?.complete === false) void reply.status(207);
    return response;
  }

  @Post('release')
  @LocalEndpoint({
    changes: true,
    summary: 'Release the kill switch: trading resumes',
    description:
      'The body is ignored. If the kill-switch file or its marker in STATE_DIR cannot be removed, nothing is released: the ' +
      'response is 503, and `kill_switch_active` states whether trading is halted.',
    response: ReleaseResponse,
    errors: ['kill_switch_file_error'],
    errorBodies: { 503: KillErrorResponse },
    ofAccount: true,
    worksWithoutSession: true,
  })
  async releaseKillSwitch(@Req() request: FastifyRequest): Promise<ReleaseResponse> {
    return this.halt.release(callerOf(request));
  }
}
