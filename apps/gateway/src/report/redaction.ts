import { CutSecrets } from './cut-secrets';
import { hidden, isSecretName, withoutLongWords, withoutShapes } from './secret-shapes';

/** What is known to be private before the first line is read. */
export interface PrivateValues {
  /** Keys, passwords, tokens. */
  readonly secrets: readonly string[];
  /** Account numbers. */
  readonly logins: readonly string[];
  /** Names of account holders. */
  readonly holders: readonly string[];
  /** Folder of the user, which often has a name in it. */
  readonly home: string | null;
}

/** A header, a flag or a variable that names what follows it in a list. */
const listedName = /^(?:--?|\/)?[\w.-]+$/;
/** A list can be of names alone, such as of settings. */
const settingName = /^[A-Z]+(?:_[A-Z]+)+$/;
/** Plain names: `found_login`, `x-expect-login`, `logins`. */
const loginName = /(?:login|account|accountnumber)s?$/;
const holderNames = new Set(['holder', 'accountname', 'accountholder', 'owner', 'fullname']);
/** What the gateway or a client numbers by; the decisions of a recording are made from them. */
const idNames = new Set(
  [
    'id',
    'key',
    'hash',
    'traceid',
    'spanid',
    'requestid',
    'intentid',
    'clientorderid',
    'fingerprint',
    'journalid',
  ].concat(['requestfingerprint', 'idempotencykey', 'record']),
);
const keyRoles: ReadonlySet<unknown> = new Set(['primary', 'next', 'readonly', 'full', 'read_only']);
/** The members of a line without its end cannot be told apart. */
const cutShort = '[a line that was cut short]';
const loginInText =
  /(?<![\w-])([\w-]*(?:login|account|acct)s?)((?: (?:number|no\.?|id|is))?(?:[\s:#="'[>\\]|%3[ad]){1,8})(\d{4,})(?!\d)/gi;
/** Shorter ones could be the year of a path. */
const loginInPath = /\baccounts?\/(\d{5,})(?!\d)/gi;
/** A member of JSON, also the last half of one whose line has no begin. */
const jsonMember = /"\s*:|(?:"|\d|true|false|null)\s*,\s*"|"\s*[}\]]+\s*$/;

/**
 * Takes credentials, account numbers, holders' names and comments out of what a report packs. The same value always gets the same
 * replacement, so that what was equal stays equal. Lines are first noted, then redacted: a line can name a login that an earlier
 * one has without saying so.
 */
export class Redaction {
  private readonly logins = new Map<string, number>();
  private readonly comments = new Map<string, number>();
  private readonly words = new Map<string, number>();
  private readonly texts = new Map<string, string>();
  private readonly cut = new CutSecrets();
  private pattern: RegExp | null = null;

  constructor({ secrets, logins, holders, home }: PrivateValues) {
    for (const secret of secrets) this.hideSecret(secret);
    for (const holder of holders) {
      for (const name of [holder, holder.toUpperCase(), holder.toLowerCase()]) this.hide(name, '[name]');
    }
    for (const login of logins) this.noteLogin(login);
    if (home !== null && home.length > 2) this.hide(home, '~');
  }

  /** Notes what a line of a log or of a recording has to hide, in this line and in all others. */
  note(line: string): void {
    this.noteText(line);
    const { json } = parsed(line);
    if (json !== undefined) this.noteValue(json, '');
  }

  /** The line without it. JSON stays JSON. */
  line(line: string): string {
    const { json, prefix } = parsed(line);
    if (json !== undefined) return `${this.text(prefix)}${JSON.stringify(this.value(json, ''))}`;
    if (!jsonMember.test(line)) return this.text(line);
    // What stands before its first bracket is the name of a container, or a text; without one, the begin is missing as well.
    const begin = line.search(/[{[]/);
    return `${begin < 0 || line.slice(0, begin).includes('"') ? '' : this.text(line.slice(0, begin))}${cutShort}`;
  }

  /** A text without it. */
  text(text: string): string {
    const known = this.cut.without(this.withoutKnown(text), hidden);
    return withoutLongWords(withoutShapes(known), (word) => this.numbered('token', this.words, word));
  }

  /** Plain data without it. */
  value(value: unknown, name: string): unknown {
    if (typeof value === 'number') return this.number(value, name);
    if (typeof value === 'string') return this.member(value, name);
    if (Array.isArray(value)) return value.map((item, index) => this.value(item, nameInList(value, index) ?? name));
    if (typeof value !== 'object' || value === null) return value;
    const hasLogin = 'login' in value;
    const stated = secretNameOf(value);
    const nameOf = (key: string): string =>
      isSecretName(name) ? name : stated === null || nameKeys.has(key) ? key : stated;
    return Object.fromEntries(
      Object.entries(value).map(([key, member]: [string, unknown]) => [
        this.withoutKnown(key),
        hasLogin && key === 'name' && typeof member === 'string' ? '[name]' : this.value(member, nameOf(key)),
      ]),
    );
  }

  private member(text: string, name: string): string {
    if (text === '') return text;
    const plain = plainName(name);
    if (isSecretName(name) && !keyRoles.has(text)) return hidden;
    if (plain.endsWith('comment')) return this.numbered('comment', this.comments, text);
    if (holderNames.has(plain)) return '[name]';
    if (loginName.test(plain) && /^\d+$/.test(text)) return this.numbered('account', this.logins, text);
    if (/^[[{]/.test(text)) {
      const { json } = parsed(text);
      if (json !== undefined) return JSON.stringify(this.value(json, ''));
    }
    return idNames.has(plain) ? this.withoutKnown(text) : this.text(text);
  }

  private number(value: number, name: string): number {
    const text = String(value);
    const isLogin = this.logins.has(text) && (loginName.test(plainName(name)) || text.length >= 5);
    if (isLogin) return this.logins.get(text) ?? 0;
    return isSecretName(name) && plainName(name) !== 'token' ? 0 : value;
  }

  private noteValue(value: unknown, name: string): void {
    const plain = plainName(name);
    if (typeof value === 'number' || typeof value === 'string') {
      const text = String(value);
      if (loginName.test(plain) && /^[1-9]\d*$/.test(text)) this.noteLogin(text);
      else if (isSecretName(name) && isUncommon(text)) this.hideSecret(text);
      else if (typeof value === 'string') this.noteString(value, plain);
    } else if (Array.isArray(value)) for (const item of value) this.noteValue(item, name);
    else if (typeof value === 'object' && value !== null) {
      for (const [key, member] of Object.entries(value)) {
        if (key === 'name' && 'login' in value && typeof member === 'string') this.hide(member, '[name]');
        this.noteValue(member, key);
      }
    }
  }

  private noteString(text: string, plain: string): void {
    if (plain.endsWith('comment')) this.noteComment(text);
    else if (holderNames.has(plain)) this.hide(text, '[name]');
    else if (/^[[{]/.test(text)) this.note(text);
    else this.noteText(text);
  }

  private noteText(text: string): void {
    for (const [, , , login = ''] of text.matchAll(loginInText)) this.noteLogin(login);
    for (const [, login = ''] of text.matchAll(loginInPath)) this.noteLogin(login);
  }

  /** Numbers a comment. One that is long, or has a digit, is replaced in all other texts; a common word is not. */
  private noteComment(text: string): void {
    const replacement = this.numbered('comment', this.comments, text);
    if (text.length >= 8 || (text.length >= 4 && /\d/.test(text))) this.hide(text, replacement);
  }

  private noteLogin(login: string): void {
    const replacement = this.numbered('account', this.logins, login);
    if (login.length >= 4) this.hide(login, replacement);
  }

  private numbered(what: string, known: Map<string, number>, value: string): string {
    // A text that is redacted a second time stays as it is.
    if (/^\[\w+ \d+\]$/.test(value)) return value;
    const number = known.get(value) ?? known.size + 1;
    known.set(value, number);
    return `[${what} ${number}]`;
  }

  private hideSecret(secret: string): void {
    this.hide(secret, hidden);
    this.cut.add(secret);
  }

  private hide(value: string, replacement: string): void {
    for (const text of writtenForms(value)) {
      if (text.trim().length === 0 || this.texts.has(text)) continue;
      this.texts.set(text, replacement);
      this.pattern = null;
    }
  }

  private withoutKnown(text: string): string {
    if (this.texts.size === 0) return text;
    this.pattern ??= new RegExp(
      [...this.texts.keys()]
        .sort((a, b) => b.length - a.length)
        .map(alternative)
        .join('|'),
      'g',
    );
    return text.replace(this.pattern, (found) => this.texts.get(found) ?? hidden);
  }
}

/** Members that say what another member is. */
const nameKeys = new Set(['name', 'key', 'header']);

/** The name of a credential that an object states beside its value, as a list of variables does. */
function secretNameOf(value: object): string | null {
  if (!('value' in value)) return null;
  const names = Object.entries(value).flatMap(([key, member]) => (nameKeys.has(key) ? [String(member)] : []));
  return names.find(isSecretName) ?? null;
}

/** The name of a credential that stands before its value in a list of headers or arguments. */
function nameInList(list: readonly unknown[], index: number): string | null {
  const [before, item] = [list[index - 1], list[index]];
  if (typeof before !== 'string' || typeof item !== 'string' || settingName.test(item)) return null;
  return listedName.test(before) && isSecretName(before) ? before : null;
}

/** Whether a credential can be told from a word. */
function isUncommon(text: string): boolean {
  return text.length >= 8 && /\d/.test(text) && /[a-z]/i.test(text);
}

/** How a value is written in texts, addresses, forms, JSON, pages and headers. */
function writtenForms(value: string): string[] {
  const encoded = encodeURIComponent(value);
  const escaped = JSON.stringify(value).slice(1, -1);
  const plain = escaped.replace(/[^ -~]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`);
  const inPage = value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  const texts = [
    value,
    encoded,
    escaped,
    plain,
    JSON.stringify(escaped).slice(1, -1),
    inPage,
    inPage.replaceAll('"', '&quot;'),
  ];
  texts.push(
    encoded.replaceAll('%20', '+'),
    encoded.replace(/%../g, (code) => code.toLowerCase()),
  );
  if (value.length < 8) return texts;
  const bytes = Buffer.from(value);
  // What follows the value changes its last signs only.
  const whole = bytes.subarray(0, bytes.length - (bytes.length % 3));
  return [
    ...texts,
    ...(['base64', 'base64url'] as const).flatMap((kind) =>
      [bytes, whole].map((one) => one.toString(kind).replace(/=+$/, '')),
    ),
  ];
}

function plainName(name: string): string {
  return name.toLowerCase().replace(/[_-]/g, '');
}

/** Digits and short texts count as found only where no further digit or letter continues them. */
function alternative(text: string): string {
  const literal = text.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&');
  if (/^\d+$/.test(text)) return `(?<!\\d)${literal}(?!\\d)`;
  return text.length < 4 ? `(?<!\\w)${literal}(?!\\w)` : literal;
}

/** The JSON of a line, behind a prefix such as the name of a container; undefined if it has none. */
function parsed(line: string): { readonly prefix: string; readonly json: unknown } {
  for (const at of [line.indexOf('{'), line.indexOf('[')]) {
    if (at < 0) continue;
    try {
      const json: unknown = JSON.parse(line.slice(at));
      return { prefix: line.slice(0, at), json };
    } catch {
      // Perhaps it begins elsewhere.
    }
  }
  return { prefix: line, json: undefined };
}
