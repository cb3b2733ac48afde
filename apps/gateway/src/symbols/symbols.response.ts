import { ApiProperty } from '@nestjs/swagger';
import { symbolListFields } from '@libs/records';
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
