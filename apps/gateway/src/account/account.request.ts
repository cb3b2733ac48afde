import { ApiProperty } from '@nestjs/swagger';
import { IsInstant } from '../server-time/utc-instant';

export class AcceptAccountRequest {
  @ApiProperty({
    type: String,
    example: '2026-01-05T10:00:00.000Z',
    description: '`account_evidence.since` of GET /health: the state that you have seen.',
    minLength: 1,
    maxLength: 40,
  })
  @IsInstant()
  since: string | number;
}
