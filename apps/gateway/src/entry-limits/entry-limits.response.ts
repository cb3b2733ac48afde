import { ApiProperty } from '@nestjs/swagger';

/** A limit on entries and its current value. */
export class EntryLimitRow {
  @ApiProperty({ example: 'MAX_OPEN_VOLUME' })
  setting: string;

  @ApiProperty({
    type: String,
    nullable: true,
    example: null,
    description: 'The symbol that the value is of, for a limit that bounds each symbol; null for the whole account.',
  })
  symbol: string | null;

  @ApiProperty({ example: 5 })
  limit: number;

  @ApiProperty({
    type: Number,
    nullable: true,
    example: 1.2,
    description: 'Entries, lots, or account currency, as the setting; null while it cannot be read.',
  })
  value: number | null;
}
