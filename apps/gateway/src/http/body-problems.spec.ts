import { plainToInstance, Type } from 'class-transformer';
import {
  IsBoolean,
  IsIn,
  IsInt,
  IsNumber,
  IsOptional,
  IsPositive,
  IsString,
  Max,
  MaxLength,
  validateSync,
  ValidateNested,
} from 'class-validator';
import { bodyError } from './body-problems';

class Leg {
  @IsNumber()
  @IsPositive()
  @Max(10)
  volume: number;
}

class Request {
  @IsString()
  @MaxLength(3)
  symbol: string;

  @IsIn(['BUY', 'SELL'])
  type: string;

  @IsOptional()
  @IsInt()
  magic?: number;

  @IsOptional()
  @IsBoolean()
  clear?: boolean;

  @ValidateNested()
  @Type(() => Leg)
  leg: Leg;
}

const valid = { symbol: 'X', type: 'BUY', leg: { volume: 1 } };

/** The problems of a body, by field. */
function problemsOf(body: object): object {
  const errors = validateSync(plainToInstance(Request, body), { whitelist: true, forbidNonWhitelisted: true });
  const { details } = bodyError(errors);
  if (!Array.isArray(details)) throw new Error('no details');
  return Object.fromEntries(details.map(({ field, problem }: { field: string; problem: string }) => [field, problem]));
}

describe('the problems of a body', () => {
  it('are three texts: missing, of the wrong type, out of range', () => {
    expect(problemsOf({ ...valid, symbol: undefined, leg: {} })).toEqual({
      symbol: 'is missing',
      'leg.volume': 'is missing',
    });
    expect(problemsOf({ ...valid, symbol: 1, magic: '7', clear: 'true', leg: { volume: '2' } })).toEqual({
      symbol: 'must be a string, not a number',
      magic: 'must be an integer, not a string',
      clear: 'must be true or false, not a string',
      'leg.volume': 'must be a number, not a string',
    });
    expect(problemsOf({ ...valid, symbol: 'LONG', magic: 1.5, leg: { volume: 11 } })).toEqual({
      symbol: 'must be shorter than or equal to 3 characters',
      magic: 'must be an integer number',
      'leg.volume': 'must not be greater than 10',
    });
  });

  it('name null, arrays and objects as what they are', () => {
    expect(problemsOf({ ...valid, symbol: null, magic: [7], leg: { volume: { lots: 1 } } })).toEqual({
      symbol: 'must be a string, not null',
      magic: 'must be an integer, not an array',
      'leg.volume': 'must be a number, not an object',
    });
  });

  it('name the known word or field that was probably meant', () => {
    expect(problemsOf({ ...valid, type: 'SELLL', magik: 7, nothingAlike: 1 })).toEqual({
      type: 'must be one of BUY, SELL; did you mean SELL?',
      magik: 'unknown field; did you mean magic?',
      nothingAlike: 'unknown field',
    });
    expect(problemsOf({ ...valid, type: 5 })).toEqual({ type: 'must be one of BUY, SELL, not a number' });
  });
});
