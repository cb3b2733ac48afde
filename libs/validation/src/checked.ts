import { plainToInstance } from 'class-transformer';
import { getMetadataStorage, validateSync, type ValidationError } from 'class-validator';
import { closest, distance } from 'fastest-levenshtein';
import { notAMapping } from './rules';

/** Letters that may differ for one name to be another one misspelt. */
const mostTypos = 2;
const unknownName = 'is not a known setting';

/** What is wrong with one member of a record. */
export interface Problem {
  /** Path of the member in the record, such as `children[0].weight`; empty: the record itself. */
  readonly path: string;
  readonly problem: string;
}

interface Checked<Value> {
  /** Each member that is missing or refused has its default, so that its type holds even where there are problems. */
  readonly value: Value;
  readonly problems: readonly Problem[];
}

type Members = Readonly<Record<string, unknown>>;

/**
 * A value that was read from a file, as an instance of the class that declares it. The decorators of the class are its rules.
 * Nothing is converted: the text "1" is not a number. A member that the class does not declare is a problem.
 */
export function checked<Value extends object>(type: new () => Value, plain: unknown): Checked<Value> {
  const problems: Problem[] = [];
  const members = withoutInherited(plain, '', problems);
  if (!isMapping(members)) return { value: new type(), problems: [{ path: '', problem: notAMapping }] };
  const value = plainToInstance(type, members, { exposeUnsetFields: false });
  const rules = { whitelist: true, forbidNonWhitelisted: true, forbidUnknownValues: false };
  return { value, problems: [...problems, ...problemsOf(validateSync(value, rules), '', members)] };
}

/** Names that every object inherits are refused first: class-transformer drops them or fails, and class-validator knows them. */
function withoutInherited(value: unknown, path: string, problems: Problem[]): unknown {
  if (Array.isArray(value)) return value.map((item, index) => withoutInherited(item, `${path}[${index}]`, problems));
  if (!isMapping(value)) return value;
  const own = Object.entries(value).flatMap(([name, member]): [string, unknown][] => {
    const at = pathOf(path, name);
    if (!(name in Object.prototype)) return [[name, withoutInherited(member, at, problems)]];
    problems.push({ path: at, problem: unknownName });
    return [];
  });
  return Object.fromEntries(own);
}

function problemsOf(errors: readonly ValidationError[], path: string, plain: unknown): readonly Problem[] {
  const members: Members = isMapping(plain) ? plain : {};
  const unknown = new Map(errors.filter(isUnknown).map((error) => [error.property, meantBy(error)]));
  // Explained once: an absent member is not reported as missing if an unknown one is it, misspelt.
  const misspelt = [...unknown].flatMap(([name, meant]) =>
    meant !== null && members[meant] == null && distance(name, meant) <= mostTypos ? [meant] : [],
  );
  return errors.flatMap((error) => {
    const { property, constraints = {}, children = [], target } = error;
    if (misspelt.includes(property)) {
      toDefault(error);
      return [];
    }
    const at = Array.isArray(target) ? `${path}[${property}]` : pathOf(path, property);
    const [message] = Object.values(constraints);
    const given = Array.isArray(plain) ? (plain[Number(property)] as unknown) : members[property];
    if (message === undefined) return problemsOf(children, at, given);
    toDefault(error);
    if (!unknown.has(property)) return [{ path: at, problem: given === null ? withoutValue(error, message) : message }];
    return [{ path: at, problem: `${unknownName}${advice(error)}` }];
  });
}

/** A name and nothing after it: whether it is a slip or means none, nobody can tell. */
function withoutValue({ target, property }: ValidationError, message: string): string {
  const isOptional = rulesOf(target).some(
    ({ type, propertyName }) => propertyName === property && type === 'conditionalValidation',
  );
  return `has no value: it ${message}${isOptional ? ', or be left out' : ''}`;
}

function isUnknown({ constraints = {} }: ValidationError): boolean {
  return Object.hasOwn(constraints, 'whitelistValidation');
}

/** The declared name that is nearest to an unknown one; null if the class declares none. */
function meantBy(error: ValidationError): string | null {
  const known = declared(error);
  return known.length === 0 ? null : closest(error.property, known);
}

/** The nearest name if it may be meant, or else all of them. */
function advice(error: ValidationError): string {
  const [known, meant] = [declared(error), meantBy(error)];
  if (meant === null) return '';
  const isNear = distance(error.property, meant) <= Math.max(mostTypos, error.property.length / 2);
  return isNear ? `; did you mean ${meant}?` : `; known are ${known.join(', ')}`;
}

function declared({ target }: ValidationError): readonly string[] {
  return [...new Set(rulesOf(target).map(({ propertyName }) => propertyName))];
}

function rulesOf(target: object | undefined): readonly { readonly type: string; readonly propertyName: string }[] {
  return target ? getMetadataStorage().getTargetValidationMetadatas(target.constructor, '', false, false) : [];
}

function toDefault({ target, property }: ValidationError): void {
  if (!target || Array.isArray(target)) return;
  const fresh = new (target.constructor as new () => Members)();
  Object.assign(target, { [property]: fresh[property] });
}

function pathOf(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}

function isMapping(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
