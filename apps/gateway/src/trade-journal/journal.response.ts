import { ApiProperty } from '@nestjs/swagger';

export class JournalFields {
  @ApiProperty({
    type: String,
    nullable: true,
    example: 'b5f9c8a2-7d0e-4a51-9c5e-2f6f2a1d8e33',
    description: 'Id of the trade journal; another id means another journal. Null while it cannot be written down.',
  })
  id: string | null;

  @ApiProperty({
    enum: ['ok', 'unproven', 'unavailable', 'lost'],
    example: 'ok',
    description:
      '`unproven`: new, and the account was not asked yet for traces of an earlier one. `unavailable`: it cannot be written, ' +
      'and new risk is refused. `lost`: new risk is refused until an operator accepts it with POST /journal/accept.',
  })
  state: 'ok' | 'unproven' | 'unavailable' | 'lost';

  @ApiProperty({ type: String, nullable: true, example: null, description: 'Why the state is not ok.' })
  reason: string | null;

  @ApiProperty({ example: 1024, description: 'Sequence number of the last commit that is on disk.' })
  sequence: number;
}

export class JournalAcceptedResponse {
  @ApiProperty({ enum: [true], example: true })
  ok: true;

  @ApiProperty({ example: 'the trade journal is accepted' })
  message: string;

  @ApiProperty({ type: JournalFields })
  journal: JournalFields;
}
