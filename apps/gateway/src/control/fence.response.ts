import { ApiProperty } from '@nestjs/swagger';
import { fenceFields } from '@libs/records';
import { documented, documentedAnswer } from '../http/documented';
import type { ShownFence } from '../trade-core/fence-state';

const magics = {
  type: 'array',
  items: { type: 'integer' },
  example: [7001],
  description: 'Magic numbers that only requests of this fence may use.',
} as const;

class FenceRow extends documented(fenceFields) {
  @ApiProperty(magics)
  magics: readonly number[];
}

export class FenceResponse extends documentedAnswer(fenceFields) {
  @ApiProperty(magics)
  magics: readonly number[];
}

export class FencesResponse {
  @ApiProperty({ enum: [true], example: true })
  ok: true;

  @ApiProperty({ type: [FenceRow] })
  data: readonly FenceRow[];

  @ApiProperty({ type: 'integer', example: 1 })
  total: number;
}

/** A fence on the wire. */
export function fenceRow({ strategy, token, state, raisedAtMs, magics }: ShownFence): FenceRow {
  const raised_at = raisedAtMs === null ? null : new Date(raisedAtMs).toISOString();
  return { strategy, token, state, raised_at, magics };
}
