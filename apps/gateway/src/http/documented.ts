import { ApiProperty, ApiPropertyOptional, type ApiPropertyOptions } from '@nestjs/swagger';
import type { Field, Fields, RecordOf } from '@libs/records';

const types = { integer: 'integer', number: Number, string: String, boolean: Boolean } as const;

class Answer {
  @ApiProperty({ enum: [true], example: true })
  ok: true;
}

/** A base class whose members and OpenAPI properties are those of a declared record. */
export function documented<Declared extends Fields>(fields: Declared): new () => RecordOf<Declared> {
  class Row {}
  addMembers(Row.prototype, fields);
  return Row as new () => RecordOf<Declared>;
}

/** A class of a declared record that is the whole body of an answer: it has `ok` as well. */
export function documentedAnswer<Declared extends Fields>(fields: Declared): new () => Answer & RecordOf<Declared> {
  class Body extends Answer {}
  addMembers(Body.prototype, fields);
  return Body as new () => Answer & RecordOf<Declared>;
}

/** A class that adds the members of a declared record to those of another class. */
export function documentedOn<Base extends object, Declared extends Fields>(
  base: new () => Base,
  fields: Declared,
): new () => Base & RecordOf<Declared> {
  class Extended extends (base as new () => object) {}
  addMembers(Extended.prototype, fields);
  return Extended as new () => Base & RecordOf<Declared>;
}

/** As {@link documentedOn}, with members that may be missing. */
export function optionallyDocumentedOn<Base extends object, Declared extends Fields>(
  base: new () => Base,
  fields: Declared,
): new () => Base & Partial<RecordOf<Declared>> {
  class Extended extends (base as new () => object) {}
  addMembers(Extended.prototype, fields, ApiPropertyOptional);
  return Extended as new () => Base & Partial<RecordOf<Declared>>;
}

function addMembers(prototype: object, fields: Fields, property = ApiProperty): void {
  for (const [name, field] of Object.entries(fields)) property(propertyOf(field))(prototype, name);
}

function propertyOf({ type, nullable, values, example, description }: Field<unknown>): ApiPropertyOptions {
  return {
    ...(values === null ? { type: types[type] } : { enum: [...values] }),
    ...(nullable ? { nullable } : {}),
    example,
    ...(description === null ? {} : { description }),
  };
}
