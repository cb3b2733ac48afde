import { ApiProperty } from '@nestjs/swagger';
import { ArrayMaxSize, ArrayMinSize, ArrayUnique, IsArray, IsString, MaxLength, MinLength } from 'class-validator';

const mostIds = 1_000;

export class SetAsideRequest {
  @ApiProperty({
    example: 'ops',
    description: 'Channel, or recipient of an e-mail channel, as in GET /health.',
    minLength: 1,
    maxLength: 128,
  })
  @IsString()
  @MinLength(1)
  @MaxLength(128)
  channel: string;

  @ApiProperty({
    type: 'array',
    items: { type: 'string', minLength: 1, maxLength: 256 },
    minItems: 1,
    maxItems: mostIds,
    uniqueItems: true,
    example: ['trade-100001-1042'],
    description: 'Ids of notifications that were set aside.',
  })
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(mostIds)
  @ArrayUnique()
  @IsString({ each: true })
  @MinLength(1, { each: true })
  @MaxLength(256, { each: true })
  ids: readonly string[];
}
