import 'reflect-metadata';
import { Transform, Type } from 'class-transformer';
import { IsArray, IsInt, IsNumber, IsObject, IsOptional, IsPositive, Max, Min, ValidateNested } from 'class-validator';

export const notAMapping = 'must be a mapping of names to values';

/** Several rules as one decorator, checked in this order; only the first problem is reported. */
export function allOf(...rules: readonly PropertyDecorator[]): PropertyDecorator {
  return (target, name) => rules.forEach((rule) => rule(target, name));
}

/** A member that may be absent, or null, which counts as absent. */
export function Optional(): PropertyDecorator {
  return allOf(
    Transform(({ value }: { value: unknown }) => value ?? undefined),
    IsOptional(),
  );
}

/** A mapping with the members of a class; without one, with any members. */
export function Mapping(type?: new () => object): PropertyDecorator {
  const nested = type === undefined ? [] : [Type(() => type), ValidateNested()];
  return allOf(IsObject({ message: notAMapping }), ...nested);
}

/** A list of mappings with the members of a class. Any other item counts as an empty mapping. */
export function ListOf(type: new () => object): PropertyDecorator {
  const item = (value: unknown): object => (value instanceof type ? value : new type());
  return allOf(
    Transform(({ value }: { value: unknown }) => (Array.isArray(value) ? value.map(item) : value)),
    IsArray({ message: 'must be a list' }),
    Type(() => type),
    ValidateNested(),
  );
}

export function Integer(min: number, max: number): PropertyDecorator {
  const message = `must be an integer, ${min} to ${max}`;
  return allOf(IsInt({ message }), Min(min, { message }), Max(max, { message }));
}

/** @param most largest number that is allowed; any when omitted */
export function PositiveNumber(most = Number.MAX_VALUE): PropertyDecorator {
  const message = `must be a number above 0${most === Number.MAX_VALUE ? '' : `, at most ${most}`}`;
  return allOf(IsNumber({}, { message }), IsPositive({ message }), Max(most, { message }));
}
