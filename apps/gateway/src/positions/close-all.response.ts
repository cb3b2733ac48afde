import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { closeAllResultFields, mutationFields } from '@libs/records';
import { documented, documentedAnswer } from '../http/documented';
import { ErrorResponse, rememberedMeaning } from '../http/error.response';
import { ClosedItem, FailedItem } from './flatten.response';

/** The sums over the positions of the request. */
export class CloseAllResult extends documented(closeAllResultFields) {}

const closeAllFields = {
  ...mutationFields,
  message: { ...mutationFields.message, example: '2 positions closed, 0 failed' },
};

/** The 200 of POST /close_all_positions, and its 207 when a position could not be closed. */
export class CloseAllResponse extends documentedAnswer(closeAllFields) {
  @ApiProperty({ type: CloseAllResult })
  result: CloseAllResult;

  @ApiProperty({ type: [ClosedItem] })
  closed: ClosedItem[];

  @ApiProperty({ type: [FailedItem] })
  failed: FailedItem[];

  @ApiPropertyOptional({
    example: true,
    description:
      'The gateway was interrupted: the lists contain what was looked up, and the request may have covered more.',
  })
  recovered?: boolean;

  @ApiPropertyOptional({ enum: [false], example: false, description: rememberedMeaning })
  remembered?: false;
}

/** The 502 of POST /close_all_positions. The lists are missing when the gateway was interrupted. */
export class CloseAllUnknownResponse extends ErrorResponse {
  @ApiPropertyOptional({ type: [ClosedItem] })
  closed?: ClosedItem[];

  @ApiPropertyOptional({ type: [FailedItem], description: 'Nothing more was done for these.' })
  failed?: FailedItem[];

  @ApiPropertyOptional({ type: [FailedItem], description: 'The broker may have closed these.' })
  unknown?: FailedItem[];
}
