import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';

/**
 * The configured parameters as an instance of the strategy's class, checked by its decorators.
 * @throws Error naming every parameter that is unknown or refused
 */
export function checkedParams(type: new () => object, params: Readonly<Record<string, unknown>>): object {
  const instance = plainToInstance(type, params, { exposeDefaultValues: true });
  const errors = validateSync(instance, { whitelist: true, forbidNonWhitelisted: true, forbidUnknownValues: false });
  if (errors.length === 0) return instance;
  const problems = errors.flatMap(({ property, constraints }) =>
    Object.entries(constraints ?? {}).map(([constraint, message]) =>
      constraint === 'whitelistValidation' ? `${property} is no parameter of this strategy` : message,
    ),
  );
  throw new Error(`params: ${problems.join('; ')}`);
}
