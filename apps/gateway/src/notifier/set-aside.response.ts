import { ApiProperty } from '@nestjs/swagger';
import { setAsideChangeFields, setAsideNotificationFields } from '@libs/records';
import { documented, documentedAnswer } from '../http/documented';

class SetAsideRow extends documented(setAsideNotificationFields) {}

export class SetAsideResponse {
  @ApiProperty({ enum: [true], example: true })
  ok: true;

  @ApiProperty({ type: [SetAsideRow] })
  data: readonly SetAsideRow[];

  @ApiProperty({ type: 'integer', example: 1 })
  total: number;
}

export class SetAsideChangeResponse extends documentedAnswer(setAsideChangeFields) {
  @ApiProperty({ type: [String], example: ['trade-100001-1042'], description: 'Ids that were changed.' })
  ids: readonly string[];

  @ApiProperty({
    type: [String],
    example: [],
    description: 'Ids that are not, or no longer, set aside on this channel. Nothing was done for them.',
  })
  not_set_aside: readonly string[];
}
