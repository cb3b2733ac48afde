import { plainToInstance } from 'class-transformer';
import { getMetadataStorage, validateSync, type ValidationError } from 'class-validator';

type Values = Readonly<Record<string, unknown>>;

/**
 * The configured parameters as an instance of the strategy's class: checked by its decorators, and where it has none,
 * as in plain JavaScript, by the kind of the default.
 * @throws Error naming every parameter that is unknown or refused, with the value it has
 */
export function checkedParams(type: new () => object, params: Values): object {
  const defaults = new Map<string, unknown>(Object.entries(new type()));
  const decorated = new Set(decoratedNames(type));
  const known = [...new Set([...decorated, ...defaults.keys()])];
  const unknown = Object.keys(params).filter((name) => !known.includes(name));
  const instance = plainToInstance(type, params, { exposeDefaultValues: true });
  const errors = validateSync(instance, { forbidUnknownValues: false });
  const problems = [
    ...unknown.map(
      (name) => `${name} is not a parameter of this strategy; the parameters are ${known.join(', ') || 'none'}`,
    ),
    ...errors.flatMap((error) => described(error)),
    ...[...defaults].flatMap(([name, value]) => (decorated.has(name) ? [] : (unlike(name, value, params) ?? []))),
  ];
  if (problems.length === 0) return instance;
  throw new Error(`params: ${problems.join('; ')}`);
}

function decoratedNames(type: new () => object): string[] {
  return getMetadataStorage()
    .getTargetValidationMetadatas(type, '', false, false)
    .map(({ propertyName }) => propertyName);
}

/** What is wrong with a property, and with those within it. */
function described({ property, constraints, children, value }: ValidationError, path = ''): string[] {
  const name = `${path}${property}`;
  const own = Object.values(constraints ?? {}).map(
    (message) => `${message.replace(property, name)} (it is ${JSON.stringify(value)})`,
  );
  // A list or a nested class that fails says so by its members.
  const within = (children ?? []).flatMap((child) => described(child, `${name}.`));
  return [...(within.length > 0 ? [] : own), ...within];
}

function unlike(name: string, value: unknown, params: Values): string | null {
  const given = params[name];
  if (given === undefined || value === undefined || value === null || kindOf(given) === kindOf(value)) return null;
  return `${name} must be a ${kindOf(value)}, as its default is (it is ${JSON.stringify(given)})`;
}

function kindOf(value: unknown): string {
  return Array.isArray(value) ? 'list' : typeof value;
}
