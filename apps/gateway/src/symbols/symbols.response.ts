import { ApiProperty } from '@nestjs/swagger';
import { symbolListFields, symbolRowFields } from '@libs/records';
import { documented } from '../http/documented';

export class SymbolRow extends documented(symbolListFields) {}

export class SymbolsResponse {
  @ApiProperty({ enum: [true], example: true })
  ok: true;

  @ApiProperty({ type: [SymbolRow] })
  data: readonly SymbolRow[];

  @ApiProperty({ type: 'integer', example: 1 })
  total: number;
}

/** A symbol's full record. */
export class SymbolRecord extends documented(symbolRowFields) {}

export class SymbolRecordsResponse {
  @ApiProperty({ enum: [true], example: true })
  ok: true;

  @ApiProperty({ type: [SymbolRecord] })
  data: readonly SymbolRecord[];

  @ApiProperty({ type: 'integer', example: 1 })
  total: number;
}
