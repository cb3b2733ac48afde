import { allOf, checked } from '@libs/validation';
import {
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsNumber,
  IsPositive,
  IsString,
  ValidateIf,
  type ValidationArguments,
} from 'class-validator';
import type { FaultKind } from './fault';
import { type FaultField, faultForms, type FieldContent } from './fault-forms';

const classes = new Map<FaultKind, new () => object>();

/** What is wrong with the fields of a fault; empty if they can be used. */
export function faultProblems(kind: FaultKind, fields: object): readonly string[] {
  const type = classes.get(kind) ?? classOf(kind);
  classes.set(kind, type);
  return checked(type, fields).problems.map(({ path, problem }) => `${path} ${problem}`);
}

/** The fields of a kind as a class, with rules that are made from its form: the help is made from the same form. */
function classOf(kind: FaultKind): new () => object {
  const type = class {};
  const fields: Readonly<Record<string, FaultField>> = faultForms[kind].fields;
  for (const [name, { content, isRequired }] of Object.entries(fields)) {
    const rules = rulesOf(content);
    // Null is not absent: a fault is used as it was sent.
    if (!isRequired) rules.push(ValidateIf((_fields, value) => value !== undefined));
    allOf(...rules)(type.prototype, name);
  }
  return type;
}

function rulesOf(content: FieldContent): PropertyDecorator[] {
  switch (content.type) {
    case 'number':
      return [IsNumber({}, saying('must be a number'))];
    case 'count': {
      const count = saying('must be a whole number above 0');
      return [IsInt(count), IsPositive(count)];
    }
    case 'text':
      return [IsString(saying('must be a text'))];
    case 'flag':
      return [IsBoolean(saying('must be true or false'))];
    case 'list': {
      const list = saying('must be a list of texts');
      return [IsArray(list), IsString({ each: true, ...list })];
    }
    case 'choice':
      return [IsIn(content.of, saying(`must be one of ${content.of.join(', ')}`))];
    case 'choices': {
      const list = saying(`must be a list of ${content.of.join(', ')}`);
      return [IsArray(list), IsIn(content.of, { each: true, ...list })];
    }
  }
}

function saying(problem: string): { readonly message: (about: ValidationArguments) => string } {
  return {
    message: ({ value }) =>
      value === undefined || value === null ? problem : `${problem}, not ${JSON.stringify(value)}`,
  };
}
