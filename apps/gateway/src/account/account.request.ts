import { ApiProperty } from '@nestjs/swagger';
import { IsString, MaxLength, MinLength } from 'class-validator';

export class AcceptAccountRequest {
  @ApiProperty({
    example: '2026-01-05T10:00:00.000Z',
    description: '`account_evidence.since` of GET /health: the state that you have seen.',
    minLength: 1,
    maxLength: 40,
  })
  @IsString()
  @MinLength(1)
  @MaxLength(40)
  since: string;
}
