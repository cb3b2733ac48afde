import type { Type } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';

interface RowsPage<Row> {
  ok: true;
  data: readonly Row[];
  total: number;
  next_cursor: string | null;
}

/** A base class for an answer with one page of rows. */
export function pageOf<Row>(row: Type<Row>): Type<RowsPage<Row>> {
  class Page implements RowsPage<Row> {
    @ApiProperty({ enum: [true], example: true })
    ok: true;

    @ApiProperty({ type: [row] })
    data: readonly Row[];

    @ApiProperty({ type: 'integer', example: 1, description: 'Rows of this answer.' })
    total: number;

    @ApiProperty({
      type: String,
      nullable: true,
      example: null,
      description: 'Value of `cursor` for the next page; null: there are no more rows.',
    })
    next_cursor: string | null;
  }
  return Page;
}
