import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ErrorResponse } from '../http/error.response';
import { FlattenReport } from '../positions/flatten.response';

export class KillResponse {
  @ApiProperty({ enum: [true], example: true })
  ok: true;

  @ApiProperty({ example: 'trading is halted' })
  message: string;

  @ApiProperty({ enum: [true], example: true })
  kill_switch_active: true;

  @ApiProperty({ type: FlattenReport, nullable: true, description: 'Null unless `flatten` is true.' })
  flatten: FlattenReport | null;

  @ApiProperty({
    example: true,
    description: 'Whether the action was written to the audit log; false when it cannot be written.',
  })
  audited: boolean;
}

/** An error of POST /kill after the switch was engaged, or of a POST /kill/release that released nothing. */
export class KillErrorResponse extends ErrorResponse {
  @ApiPropertyOptional({
    example: true,
    description: 'Whether trading is halted. Always true after POST /kill, regardless of the error.',
  })
  kill_switch_active?: boolean;

  @ApiPropertyOptional({ type: FlattenReport, nullable: true, description: 'Null if nothing was flattened.' })
  flatten?: FlattenReport | null;
}

export class ReleaseResponse {
  @ApiProperty({ enum: [true], example: true })
  ok: true;

  @ApiProperty({ example: 'trading resumes' })
  message: string;

  @ApiProperty({ enum: [false], example: false })
  kill_switch_active: false;

  @ApiProperty({
    example: true,
    description: 'Whether the action was written to the audit log; false when it cannot be written.',
  })
  audited: boolean;
}
