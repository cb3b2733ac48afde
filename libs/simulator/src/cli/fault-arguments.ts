import type { FaultField } from '../session/fault-forms';

/** A command that cannot be carried out as it was written; the message names the argument. */
export class FaultCommandError extends Error {}

export interface NamedField {
  readonly name: string;
  readonly field: FaultField;
}

/** A field's name as an option of a command: `lateMs` is `--late-ms`. */
export function optionName(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/**
 * The value of a field from an argument.
 * @throws FaultCommandError naming the argument, what it must be and what it was
 */
export function fieldValue(argument: string, { content }: FaultField, given: string | boolean): unknown {
  if (typeof given === 'boolean') return given;
  const refuse = (wanted: string, value: unknown = given): never => {
    throw new FaultCommandError(`${argument} must be ${wanted}, not ${JSON.stringify(value)}`);
  };
  switch (content.type) {
    case 'number':
      return numberIn(given) ?? refuse('a number');
    case 'count': {
      const number = numberIn(given);
      return number !== null && Number.isInteger(number) && number > 0
        ? number
        : refuse('a whole number above 0', number ?? given);
    }
    case 'choice':
      return content.of.includes(given) ? given : refuse(`one of ${content.of.join(', ')}`);
    case 'list':
      return given.split(',');
    case 'choices': {
      const words = given.split(',');
      return words.every((word) => content.of.includes(word)) ? words : refuse(`a list of ${content.of.join(', ')}`);
    }
    case 'text':
      return given;
    case 'flag':
      return true;
  }
}

function numberIn(text: string): number | null {
  const number = text.trim() === '' ? Number.NaN : Number(text);
  return Number.isFinite(number) ? number : null;
}
