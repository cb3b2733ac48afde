import {
  allOf,
  checked,
  Integer,
  jsonSchemaOf,
  ListOf,
  Mapping,
  Optional,
  PositiveNumber,
  Shape,
  type JsonSchema,
  type Problem,
} from '@libs/validation';
import {
  IsArray,
  IsBoolean,
  IsIn,
  IsNumber,
  IsString,
  IsTimeZone,
  Matches,
  Min,
  ValidateBy,
  ValidateIf,
} from 'class-validator';
import type { SymbolSpec } from './symbol-spec';

/** By the type of a field in the catalogue. */
const typeRules = {
  string: IsString({ message: 'must be a text' }),
  number: IsNumber({}, { message: 'must be a number' }),
  boolean: IsBoolean({ message: 'must be true or false' }),
};

function NotNegative(): PropertyDecorator {
  const message = 'must be a number, 0 or more';
  return allOf(IsNumber({}, { message }), Min(0, { message }));
}

/** A rule for a member and what it is a member of. A member of another type is left to the rules before this one. */
function Holds<Entry>(message: string, holds: (entry: Entry) => boolean): PropertyDecorator {
  return ValidateBy(
    { name: 'holds', validator: { validate: (_value, about) => holds(about?.object as Entry) } },
    { message },
  );
}

class AssetEntry {
  @PositiveNumber() value: number;
  @NotNegative() dailyVolatility: number;
  @Optional() @typeRules.boolean continuous?: boolean;
}

class SessionEntry {
  @Integer(0, 6) day: number;
  @Integer(0, 1_439) from: number;
  @allOf(Integer(1, 1_440), Holds('must be after from', ({ from, to }: SessionEntry) => to > from)) to: number;
}

const date = /^(\d{4}-)?(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/;
const dates = 'must be a list of dates (MM-DD or YYYY-MM-DD)';

class ScheduleEntry {
  @Optional() @IsTimeZone({ message: 'must be an IANA time zone' }) zone?: string;
  @ListOf(SessionEntry) sessions: SessionEntry[];
  @allOf(IsArray({ message: dates }), Matches(date, { each: true, message: dates })) holidays: string[];
}

class MarginRatesEntry {
  @typeRules.number buy: number;
  @typeRules.number sell: number;
  @typeRules.number pending: number;
}

class CommissionEntry {
  @typeRules.number perLot: number;
  @IsIn(['both', 'in'], { message: 'must be both or in' }) charged: string;
}

class MarketEntry {
  @typeRules.string base: string;
  @typeRules.string quote: string;
  @NotNegative() spread: number;
  @Mapping(ScheduleEntry) schedule: ScheduleEntry;
  @Mapping(MarginRatesEntry) marginRates: MarginRatesEntry;
  @Mapping(CommissionEntry) commission: CommissionEntry;
  @typeRules.boolean visible: boolean;
  @Shape({ type: ['number', 'null'] })
  @ValidateIf(({ depth }: MarketEntry) => depth !== null)
  @IsNumber({}, { message: 'must be null or a number' })
  depth: number | null;
}

class SymbolEntry {
  @Integer(0, 8) digits: number;
  @PositiveNumber() trade_tick_size: number;
  @PositiveNumber() trade_contract_size: number;
  @PositiveNumber() volume_min: number;
  @allOf(typeRules.number, Holds('must be volume_min or more', isAboveMinimum)) volume_max: number;
  @PositiveNumber() volume_step: number;
  @allOf(Mapping(MarketEntry), Holds('has a depth that must be null, or volume_step or more', isDeepEnough))
  market: MarketEntry;
}

function isAboveMinimum({ volume_min, volume_max }: SymbolEntry): boolean {
  return !(volume_max < volume_min);
}

function isDeepEnough({ market, volume_step }: { market: MarketEntry | null; volume_step: number }): boolean {
  const depth = market?.depth;
  return !(typeof depth === 'number' && depth < volume_step);
}

let isComplete = false;

/**
 * What is wrong with a symbol that was laid over one of the catalogue.
 * @param model any symbol of the catalogue: a field without a rule of its own has to be of its type
 */
export function symbolProblems(symbol: object, model: SymbolSpec): readonly Problem[] {
  completeBy(model);
  return checked(SymbolEntry, symbol).problems;
}

function completeBy({ market: _market, ...model }: SymbolSpec): void {
  if (isComplete) return;
  for (const [name, value] of Object.entries(model)) typeRules[typeName(value)](SymbolEntry.prototype, name);
  isComplete = true;
}

/**
 * The JSON Schema of a file of symbols. A symbol takes what it does not state from the catalogue, so that only its name is required;
 * whether it has to state more is left to the program.
 */
export function symbolSchema(model: SymbolSpec): JsonSchema {
  completeBy(model);
  return {
    type: 'object',
    properties: {
      $schema: { type: 'string' },
      assets: { type: 'object', additionalProperties: jsonSchemaOf(AssetEntry) },
      symbols: { type: 'array', minItems: 1, items: symbolItem() },
    },
    required: ['symbols'],
    additionalProperties: false,
  };
}

function symbolItem(): JsonSchema {
  const { properties, ...symbol } = membersOf(SymbolEntry);
  const { properties: market, ...rest } = membersOf(MarketEntry);
  // A schedule replaces that of the catalogue as a whole, with no holidays if it states none.
  const schedule = { ...jsonSchemaOf(ScheduleEntry), required: ['sessions'] };
  const parts = { schedule, marginRates: membersOf(MarginRatesEntry), commission: membersOf(CommissionEntry) };
  return {
    ...symbol,
    properties: {
      ...properties,
      name: { type: 'string', pattern: '^\\S(.*\\S)?$' },
      like: { type: 'string' },
      market: { ...rest, properties: { ...market, ...parts } },
    },
    required: ['name'],
  };
}

/** The members of a class, none of which is required. */
function membersOf(type: new () => object): JsonSchema & { readonly properties: object } {
  const { required: _required, properties, ...schema } = jsonSchemaOf(type);
  return { ...schema, properties };
}

function typeName(value: string | number | boolean): keyof typeof typeRules {
  return typeof value as keyof typeof typeRules;
}

/** What is wrong with an asset that generated prices are made of. */
export function assetProblems(asset: unknown): readonly Problem[] {
  return checked(AssetEntry, asset).problems;
}
