import { Controller, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { validationError } from '@libs/envelope';
import { PositionType } from '@libs/terminal-client';
import { TradeEndpoint } from '../http/endpoint.decorators';
import { ValidBody } from '../http/valid-body.decorator';
import { CurrentAttempt } from '../trade-journal/current-attempt';
import { answered, type TradeAnswer } from '../trade-journal/trade-answer';
import { TradeAttempt } from '../trade-journal/trade-attempt';
import { closeAnswer } from './close-answer';
import { ClosePartialRequest, ClosePositionRequest } from './close-position.request';
import { PositionClosedResponse } from './close-position.response';
import { ClosePositionService } from './close-position.service';
import { ModifyLevelsRequest } from './modify-levels.request';
import { ModifyLevelsResponse } from './modify-levels.response';
import { ModifyLevelsService } from './modify-levels.service';
import { namedPosition, type NamesPosition, type PositionReference } from './position-reference';

@ApiTags('position')
@Controller()
export class ChangePositionsController {
  constructor(
    private readonly closing: ClosePositionService,
    private readonly levels: ModifyLevelsService,
  ) {}

  @Post('modify_sl_tp')
  @TradeEndpoint({
    killGated: true,
    addsRisk: true,
    summary: 'Change or remove the stop loss and take profit of a position',
    response: ModifyLevelsResponse,
    errors: ['not_found'],
  })
  modifyPosition(
    @CurrentAttempt() attempt: TradeAttempt,
    @ValidBody() body: ModifyLevelsRequest,
  ): Promise<TradeAnswer> {
    return this.levels.modify(attempt, body);
  }

  @Post('close_position')
  @TradeEndpoint({
    killGated: true,
    addsRisk: false,
    summary: 'Close a position, or a part of it',
    response: PositionClosedResponse,
    errors: ['not_found', 'order_deviation_exceeded'],
  })
  async closePosition(
    @CurrentAttempt() attempt: TradeAttempt,
    @ValidBody() body: ClosePositionRequest,
  ): Promise<TradeAnswer> {
    const closed = await this.closing.close(attempt, {
      ...closeReference(body),
      partOnly: false,
      deviation: body.deviation ?? null,
      comment: body.comment ?? null,
    });
    return answered(closeAnswer(closed, attempt.clientOrderId));
  }

  @Post('position_close_partial')
  @TradeEndpoint({
    killGated: true,
    addsRisk: false,
    summary: 'Close a part of a position',
    response: PositionClosedResponse,
    errors: ['not_found', 'order_deviation_exceeded'],
  })
  async closePositionPartial(
    @CurrentAttempt() attempt: TradeAttempt,
    @ValidBody() body: ClosePartialRequest,
  ): Promise<TradeAnswer> {
    const closed = await this.closing.close(attempt, {
      ...closeReference(body),
      partOnly: true,
      symbol: body.symbol ?? null,
      type: body.type == null ? null : PositionType[body.type],
      deviation: body.deviation ?? null,
      comment: body.comment ?? null,
    });
    return answered(closeAnswer(closed, attempt.clientOrderId));
  }
}

/** @throws ApiError validation_error if the volume is given twice */
function closeReference({
  position,
  ticket,
  volume,
}: NamesPosition & { readonly volume?: number | undefined }): PositionReference {
  const reference = namedPosition({ position, ticket });
  if (volume === undefined) return reference;
  if (reference.volume !== null) {
    throw validationError({ field: 'volume', problem: 'cannot be given together with position.volume' });
  }
  return { ticket: reference.ticket, volume, volumeField: 'volume' };
}
