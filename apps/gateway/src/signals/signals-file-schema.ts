import { timeframeNames } from '@libs/terminal-client';
import {
  dialect,
  listOf,
  mapping,
  numberSchema,
  oneSecret,
  text,
  texts,
  type FileSchema,
} from '../settings/file-schema';
import { acceptableFence, acceptableName, sourceFields } from './read-signals-file';
import { levelUnits, sizeUnits, verbs } from './signal';
import { sequenceKinds } from './signal-source';

const integer = (minimum: number, maximum: number): FileSchema => ({ type: 'integer', minimum, maximum });
const daySeconds = 86_400;
const lots = numberSchema(0.000_01, 1_000_000);

const members: Readonly<Record<(typeof sourceFields)[number], FileSchema>> = {
  secret_env: text,
  secret_file: text,
  magic: integer(1, Number.MAX_SAFE_INTEGER),
  login: integer(1, Number.MAX_SAFE_INTEGER),
  fence: { type: 'string', pattern: acceptableFence.source },
  senders: texts,
  proxies: texts,
  max_per_minute: integer(1, 100_000),
  max_age_seconds: numberSchema(1, daySeconds),
  max_exit_age_seconds: numberSchema(1, 7 * daySeconds),
  symbols: {
    type: 'object',
    minProperties: 1,
    propertyNames: { pattern: '^[^\\s=]*$' },
    additionalProperties: { type: 'string', minLength: 1 },
  },
  verbs: listOf({ enum: verbs }),
  size: {
    oneOf: sizeUnits.map((unit) => mapping({ [unit]: { type: 'number', exclusiveMinimum: 0 } }, [unit])),
  },
  levels: { enum: levelUnits },
  lots_per_unit: numberSchema(0.000_000_01, 1_000_000),
  atr: mapping({ timeframe: { enum: timeframeNames }, period: integer(2, 200) }, []),
  sequence: { enum: sequenceKinds },
  repeat_seconds: numberSchema(0, daySeconds),
  max_lots: lots,
  max_open_lots: lots,
  max_risk_percent: numberSchema(0.001, 100),
};

/** The JSON Schema of the file that SIGNALS_FILE names. What two sources must not share is left to the gateway. */
export function signalsFileSchema(): object {
  const source = mapping(members, ['magic', 'symbols', 'max_lots'], oneSecret('secret'));
  const sources = {
    type: 'object',
    minProperties: 1,
    propertyNames: { pattern: acceptableName.source },
    additionalProperties: source,
  };
  return { ...dialect, title: 'Signals', ...mapping({ sources }, ['sources']) };
}
