import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsDefined, ValidateIf } from 'class-validator';
import { validationError } from '@libs/envelope';
import { LevelsRequest, levelProblems } from '../orders/levels.request';
import { TicketOfPosition } from './ticket-of-position.decorator';

/** Body of POST /modify_sl_tp. */
export class ModifyLevelsRequest extends LevelsRequest {
  @ApiPropertyOptional({
    oneOf: [
      { type: 'integer', example: 530218319 },
      { type: 'object', required: ['ticket'], properties: { ticket: { type: 'integer' } }, additionalProperties: true },
    ],
    example: 530218319,
    description: "The position's ticket, or an object with it. This or `ticket` is required.",
  })
  @ValidateIf(({ ticket }: ModifyLevelsRequest) => ticket === undefined)
  @IsDefined({ message: 'position is required: give the ticket as position or as ticket' })
  position?: unknown;

  @TicketOfPosition()
  ticket?: number;
}

/** @throws ApiError validation_error if the body changes nothing or contradicts itself */
export function requireLevelChange(body: LevelsRequest): void {
  const problems = levelProblems(body);
  if (problems.length > 0) throw validationError(...problems);
  if (body.sl == null && body.tp == null && body.clear_sl !== true && body.clear_tp !== true) {
    throw validationError({ field: 'sl', problem: 'give at least one of sl, tp, clear_sl: true, clear_tp: true' });
  }
}
