import { ApiProperty } from '@nestjs/swagger';
import { IsString, MaxLength, MinLength } from 'class-validator';

export class AcceptJournalRequest {
  @ApiProperty({
    example: 'b5f9c8a2-7d0e-4a51-9c5e-2f6f2a1d8e33',
    description: 'Id of the journal to accept, from GET /health.',
    minLength: 1,
    maxLength: 128,
  })
  @IsString()
  @MinLength(1)
  @MaxLength(128)
  journal_id: string;
}
