import { ApiProperty } from '@nestjs/swagger';
import { positionLegFields, positionSummaryRowFields } from '@libs/records';
import { documented, documentedAnswer } from '../http/documented';

/** One leg of a position, as its deals add up. */
export class PositionLeg extends documented(positionLegFields) {}

/** A position as its deals add up: the leg that was asked for, and all of them. */
export class PositionSummaryResponse extends documentedAnswer(positionSummaryRowFields) {
  @ApiProperty({
    type: [PositionLeg],
    description:
      'Oldest first. One, unless a netting account reversed the position. Commission and fee of the deal that reverses are shared by volume.',
  })
  legs: PositionLeg[];
}
