import { ApiProperty } from '@nestjs/swagger';
import { journalFields } from '@libs/records';
import { documented } from '../http/documented';

export class JournalFields extends documented(journalFields) {}

export class JournalAcceptedResponse {
  @ApiProperty({ enum: [true], example: true })
  ok: true;

  @ApiProperty({ example: 'the trade journal is accepted' })
  message: string;

  @ApiProperty({ type: JournalFields })
  journal: JournalFields;
}
