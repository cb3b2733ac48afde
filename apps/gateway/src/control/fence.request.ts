import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ArrayMaxSize, ArrayUnique, IsArray, IsInt, IsOptional, Max, Min } from 'class-validator';
import { highestToken } from '../trade-core/fence';

const mostMagics = 1_000;

export class RaiseFenceRequest {
  @ApiProperty({
    type: 'integer',
    example: 7,
    minimum: 1,
    maximum: highestToken,
    description: 'Fencing token of the lease.',
  })
  @IsInt()
  @Min(1)
  @Max(highestToken)
  token: number;

  @ApiPropertyOptional({
    type: 'array',
    items: { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
    maxItems: mostMagics,
    uniqueItems: true,
    example: [7001],
    description:
      'Magic numbers of the strategy. From then on, a request that opens, changes or closes something with one of them ' +
      'needs this fence in X-Fence. They are added to those of earlier raises, and taken from any other fence.',
  })
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(mostMagics)
  @ArrayUnique()
  @IsInt({ each: true })
  @Min(0, { each: true })
  @Max(Number.MAX_SAFE_INTEGER, { each: true })
  magics?: readonly number[];
}
