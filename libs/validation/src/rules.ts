import 'reflect-metadata';
import { Transform, Type } from 'class-transformer';
import { IsArray, IsInt, IsNumber, IsObject, IsOptional, IsPositive, Max, Min, ValidateNested } from 'class-validator';

export const notAMapping = 'must be a mapping of names to values';

/** Several rules as one decorator, checked in this order; only the first problem is reported. */
export function allOf(...rules: readonly PropertyDecorator[]): PropertyDecorator {
  return (target, name) => rules.forEach((rule) => rule(target, name));
}

/** A member that may be absent. Null is not absent: a limit that is written without its value would be no limit. */
export function Optional(): PropertyDecorator {
  return allOf(
    Transform(({ value }: { value: unknown }) => (value === null ? noValue : value)),
    IsOptional(),
  );
}

/** No rule takes it, whereas the default of a member may be null. */
const noValue = Symbol('no value');

/** What is in a member, for its JSON Schema: the members of a class, or a schema. */
class Nested {
  constructor(
    readonly place: 'itself' | 'items' | 'additionalProperties',
    readonly content: (new () => object) | Readonly<Record<string, unknown>>,
  ) {}
}

const nestedKey = Symbol('nested');

function nests(...[place, content]: ConstructorParameters<typeof Nested>): PropertyDecorator {
  return (target, name) => Reflect.defineMetadata(nestedKey, new Nested(place, content), target, name);
}

/** What is nested in a member of a class, as a part of its schema. @param schemaOf the schema of a class */
export function nestedOf(
  type: new () => object,
  name: string,
  schemaOf: (nested: new () => object) => Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const nested: unknown = Reflect.getMetadata(nestedKey, new type(), name);
  if (!(nested instanceof Nested)) return {};
  const schema = typeof nested.content === 'function' ? schemaOf(nested.content) : nested.content;
  return nested.place === 'itself' ? schema : { [nested.place]: schema };
}

/** The values of a mapping, for its schema alone: their reader checks them. */
export function ValuesOf(content: Nested['content']): PropertyDecorator {
  return nests('additionalProperties', content);
}

/** The schema of a member that its rules do not state. */
export function Shape(schema: Readonly<Record<string, unknown>>): PropertyDecorator {
  return nests('itself', schema);
}

const saysKey = Symbol('says');

/** What a member is for, which an editor shows beside it. */
export function Says(description: string): PropertyDecorator {
  return (target, name) => Reflect.defineMetadata(saysKey, description, target, name);
}

/** What {@link Says} says of a member, as a part of its schema. */
export function saidOf(type: new () => object, name: string): { readonly description?: string } {
  const description: unknown = Reflect.getMetadata(saysKey, new type(), name);
  return typeof description === 'string' ? { description } : {};
}

/** A mapping with the members of a class; without one, with any members. */
export function Mapping(type?: new () => object): PropertyDecorator {
  const nested = type === undefined ? [] : [Type(() => type), ValidateNested(), nests('itself', type)];
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
    nests('items', type),
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
