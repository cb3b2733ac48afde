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
import { emailSecurities, eventActions, eventKinds, watchedStates } from './notifier-file';
import { channelFields, channelName } from './read-channel';
import { ruleFields, timeOfDay } from './read-rule';

type Named<Fields extends readonly string[]> = Readonly<Record<Fields[number], FileSchema>>;

const webAddress = { type: 'string', pattern: '^\\s*[Hh][Tt][Tt][Pp][Ss]?:' };
const secret = text;
const wholeNumber = { type: 'integer', minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER };

const webhook: Named<typeof channelFields.webhook> = { url: webAddress, secret_env: secret, secret_file: secret };
const telegram: Named<typeof channelFields.telegram> = {
  chat_id: { anyOf: [wholeNumber, text] },
  token_env: secret,
  token_file: secret,
  url: webAddress,
};
const discord: Named<typeof channelFields.discord> = { url_env: secret, url_file: secret };
const email: Named<typeof channelFields.email> = {
  host: text,
  port: numberSchema(1, 65_535),
  security: { enum: emailSecurities },
  user: text,
  password_env: secret,
  password_file: secret,
  from: text,
  to: { ...texts, minItems: 1 },
};

/** A password belongs to a user, and a user has one. */
const login: FileSchema = {
  if: { required: ['user'], properties: { user: { type: 'string' } } },
  then: oneSecret('password'),
  else: { properties: { password_env: false, password_file: false } },
};

const trades: Named<typeof ruleFields.trades> = {
  events: listOf({ enum: eventKinds }),
  actions: listOf({ enum: eventActions }),
  symbols: texts,
  magics: listOf(wholeNumber),
};
const report: Named<typeof ruleFields.daily_report> = { at: { type: 'string', pattern: timeOfDay.source } };
const state: Named<typeof ruleFields.state> = {
  for_seconds: numberSchema(0, 86_400),
  max_per_hour: numberSchema(1, 1_000),
};
const drawdown: Named<typeof ruleFields.drawdown> = {
  ...state,
  from: { enum: ['day', 'peak'] },
  percent: numberSchema(0.01, 100),
};

/** The JSON Schema of the file that NOTIFIER_FILE names. What depends on another part of the file is left to the gateway. */
export function notifierFileSchema(): object {
  return {
    ...dialect,
    title: 'Notifier',
    ...mapping({ channels: { ...channels(), minProperties: 1 }, rules: listOf({ oneOf: rules() }) }, [
      ...['channels', 'rules'],
    ]),
  };
}

function channels(): FileSchema {
  const channel = (type: string, members: FileSchema, required: readonly string[], more: FileSchema): FileSchema =>
    mapping({ type: { const: type }, ...members }, ['type', ...required], more);
  return {
    type: 'object',
    propertyNames: { pattern: channelName.source },
    additionalProperties: {
      oneOf: [
        channel('webhook', webhook, ['url'], oneSecret('secret')),
        channel('telegram', telegram, ['chat_id'], oneSecret('token')),
        channel('discord', discord, [], oneSecret('url')),
        channel('email', email, ['host', 'from', 'to'], login),
      ],
    },
  };
}

function rules(): readonly FileSchema[] {
  const rule = (on: FileSchema, members: FileSchema, required: readonly string[] = []): FileSchema =>
    mapping({ on, channels: { ...texts, minItems: 1 }, ...members }, ['on', 'channels', ...required]);
  const others = watchedStates.filter((one) => one !== 'drawdown');
  return [
    rule({ const: 'trades' }, trades),
    rule({ const: 'daily_report' }, report, ['at']),
    rule({ const: 'drawdown' }, drawdown, ['percent']),
    rule({ enum: others }, state),
  ];
}
