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
      return [IsNumber({}, must('be a number'))];
    case 'count':
      return [IsInt(must('be a whole number above 0')), IsPositive(must('be a whole number above 0'))];
    case 'text':
      return [IsString(must('be a text'))];
    case 'flag':
      return [IsBoolean(must('be true or false'))];
    case 'list':
      return [IsArray(must('be a list of texts')), IsString({ each: true, ...must('be a list of texts') })];
    case 'choice':
      return [IsIn(content.of, must(`be one of ${content.of.join(', ')}`))];
    case 'choices': {
      const list = must(`be a list of ${content.of.join(', ')}`);
      return [IsArray(list), IsIn(content.of, { each: true, ...list })];
    }
  }
}

function must(be: string): { readonly message: (about: ValidationArguments) => string } {
  return {
    message: ({ value }) => (value === undefined ? `must ${be}` : `must ${be}, not ${JSON.stringify(value)}`),
  };
}
