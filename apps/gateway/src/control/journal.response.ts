import { ApiProperty } from '@nestjs/swagger';
import { journalFields } from '@libs/records';
import { documented } from '../http/documented';

export class JournalFields extends documented(journalFields) {}

export class JournalAcceptedResponse {
  @ApiProperty({ enum: [true], example: true })
  ok: true;

  @ApiProperty({ example: 'the trade journal is accepted' })
  message: string;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    example: 0,
    description:
      'Orders in 35 days of the account that have neither a request in the journal nor the tag of a key: their keys are not ' +
      'bound. Null if the account could not be read or its history does not add up, or nothing was accepted.',
  })
  orders_without_tag: number | null;

  @ApiProperty({ type: JournalFields })
  journal: JournalFields;
}
