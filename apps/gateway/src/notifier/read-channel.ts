import addressparser from 'nodemailer/lib/addressparser';
import { FileReader, type SecretSources } from '../settings/file-reader';
import {
  emailSecurities,
  type ChannelSpec,
  type DiscordSpec,
  type EmailSpec,
  type TelegramSpec,
  type WebhookSpec,
} from './notifier-file';

/** What a channel of each type can have, besides its type. */
export const channelFields = {
  webhook: ['url', 'secret_env', 'secret_file'],
  telegram: ['chat_id', 'token_env', 'token_file', 'url'],
  discord: ['url_env', 'url_file'],
  email: ['host', 'port', 'security', 'user', 'password_env', 'password_file', 'from', 'to'],
} as const;
const types = Object.keys(channelFields);
export const channelName = /^[A-Za-z0-9_-]{1,40}$/;
const usualPorts = { starttls: 587, tls: 465, none: 25 };

/**
 * Reads one channel; none if its type is unknown. One by e-mail is a channel for each recipient, so that a mailbox that
 * refuses a message affects no other: `mail`, `mail.2`, `mail.3`.
 */
export function readChannel(name: string, value: unknown, sources: SecretSources, problems: string[]): ChannelSpec[] {
  const path = `channels.${name}`;
  if (!channelName.test(name)) {
    problems.push(`${path} must have a name of 1 to 40 letters, digits, - and _`);
  }
  const type: unknown = typeof value === 'object' && value !== null && 'type' in value ? value.type : undefined;
  const read = (known: readonly string[]): FileReader => new FileReader(value, path, ['type', ...known], problems);
  switch (type) {
    case 'webhook':
      return [webhook(name, read(channelFields.webhook), sources)];
    case 'telegram':
      return [telegram(name, read(channelFields.telegram), sources)];
    case 'discord':
      return [discord(name, read(channelFields.discord), sources)];
    case 'email':
      return email(name, read(channelFields.email), sources);
    default:
      problems.push(`${path}.type must be one of ${types.join(', ')}`);
      return [];
  }
}

function webhook(name: string, reader: FileReader, sources: SecretSources): WebhookSpec {
  const url = webAddress(reader, 'url', reader.text('url'));
  return { type: 'webhook', name, url, secret: reader.secret('secret', sources) };
}

function telegram(name: string, reader: FileReader, sources: SecretSources): TelegramSpec {
  const chatId = chatOf(reader);
  const url = reader.has('url') ? webAddress(reader, 'url', reader.text('url')) : 'https://api.telegram.org';
  const token = reader.secret('token', sources);
  if (token !== '' && !/^[A-Za-z0-9:_-]+$/.test(token)) reader.problem('token', 'must be a bot token');
  return { type: 'telegram', name, chatId, token, url };
}

/** A number that is not exact would be another chat. */
function chatOf(reader: FileReader): string {
  const given = reader.value('chat_id');
  if (typeof given !== 'number') return reader.text('chat_id');
  if (!Number.isSafeInteger(given)) reader.problem('chat_id', 'must be a whole number, or a text in quotation marks');
  return String(given);
}

function discord(name: string, reader: FileReader, sources: SecretSources): DiscordSpec {
  return { type: 'discord', name, url: webAddress(reader, 'url', reader.secret('url', sources)) };
}

function email(name: string, reader: FileReader, sources: SecretSources): EmailSpec[] {
  const security = reader.oneOf('security', emailSecurities, 'starttls');
  const user = reader.has('user') ? reader.text('user') : null;
  const to = recipients(reader);
  if (user === null && (reader.has('password_env') || reader.has('password_file'))) {
    reader.problem('user', 'must be set, because there is a password');
  }
  const mail = {
    type: 'email' as const,
    host: reader.text('host'),
    security,
    user,
    to,
    from: reader.text('from'),
    port: reader.number('port', { min: 1, max: 65_535, fallback: usualPorts[security] }),
    password: user === null ? null : reader.secret('password', sources),
  };
  return to.map((recipient, index) => ({ ...mail, name: index === 0 ? name : `${name}.${index + 1}`, recipient }));
}

/** One address for each entry: a mail that only some of the addresses of an entry accept would be sent to these again and again. */
function recipients(reader: FileReader): string[] {
  const entries = reader.texts('to') ?? [];
  entries.forEach((entry, index) => {
    if (!isOneAddress(entry)) reader.problem(`to[${index}]`, 'must be one e-mail address');
  });
  if (entries.length === 0) reader.problem('to', 'must list at least one address');
  return [...new Set(entries)];
}

/** As the mail library reads it, which takes a second address without a comma for a part of the name. */
function isOneAddress(entry: string): boolean {
  const [first, ...more] = addressparser(entry, { flatten: true });
  return first !== undefined && more.length === 0 && first.address !== '' && !first.name.includes('@');
}

/** An address that is a secret is in no problem. */
function webAddress(reader: FileReader, name: string, value: string): string {
  if (value === '') return value;
  if (!URL.canParse(value) || !/^https?:$/.test(new URL(value).protocol)) {
    reader.problem(name, 'must be an http or https URL');
  } else if (new URL(value).username !== '' || new URL(value).password !== '') {
    reader.problem(name, 'must not contain a user name or password');
  }
  return value;
}
