/** Names of members, headers and parameters that hold a credential. */
const secretWord =
  '(?:pass(?:word|wd|phrase|code)|(?<![a-z])pass(?![a-z])|pwd|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|auth|authori[sz]ation|cookie|credentials?|signature|session[_-]?id)';

const secretName = new RegExp(secretWord, 'i');
/** Of a variable of the environment; in small letters, a key is mostly that of a request. */
const secretVariable = /^[A-Z][A-Z0-9_]*_(?:KEY|DSN)$/;
const namedValue = String.raw`(?:\\+"(?:(?!\\+").)*\\+"|"[^"]*"|'[^']*'|[^,;&"'\s}][^,;&"'\n}]*)`;
/** Also in JSON within JSON, of other languages, and percent-encoded. */
const separator = String.raw`(?:\\*["']|%2[27])?\s*(?:=>|:=|[=:]|%3[ad])\s*`;
const namedSecret = new RegExp(`(?<![\\w.-])([\\w.-]*${secretWord}[\\w.-]*${separator})${namedValue}`, 'gi');
const namedVariable = new RegExp(`\\b([A-Z][A-Z0-9_]*_(?:KEY|DSN)${separator})${namedValue}`, 'g');
const flag = new RegExp(`(?<![\\w-])(--?[\\w-]*${secretWord}[\\w-]*)\\s+(?!-)\\S+`, 'gi');
const element = new RegExp(`(<[\\w:.-]*${secretWord}[\\w:.-]*(?:\\s[^<>]*)?>)[^<]*`, 'gi');
/** User and password of an address without a scheme, as of a source of data. */
const userOfAddress = /(?<![\w./-])[\w.-]+:[^\s:@/"']+@(?=[\w(])/g;
const header = /\b((?:proxy-)?authorization|(?:set-)?cookie)(["']?\s*[:=]\s*).+$/gim;
const scheme = /\b(bearer|basic|digest)\s+[^\s"',;]+/gi;
const url = /\b([a-z][a-z0-9+.-]*):\/\/([^\s"'<>`\\]*)/gi;
const query = /([?&#][^=\s"'&]+)=[^\s"'&#]*/g;
/** The path of a source of signals may end in its secret. */
const signalPath = /(\/signals\/[^/\s"'?]+)\/[^\s"'?]+/g;
const email = /(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+/g;
const botToken = /\b\d{6,}:[\w-]{20,}/g;
const longWord = /(?<![\w-])[\w-]{20,}(?![\w-])/g;
const base64Word = /(?<![\w+/-])[\w+/-]{20,}={0,2}(?![\w+/=-])/g;
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export const hidden = '[redacted]';

/** Whether a member of this name has a credential. */
export function isSecretName(name: string): boolean {
  return secretName.test(name) || secretVariable.test(name);
}

/** Replaces everything in a text that looks like a credential, also one that the gateway does not know. */
export function withoutShapes(text: string): string {
  return text
    .replace(header, `$1$2${hidden}`)
    .replace(scheme, `$1 ${hidden}`)
    .replace(url, (whole, protocol: string, rest: string) => (protocol === 'file' ? whole : origin(protocol, rest)))
    .replace(namedSecret, `$1${hidden}`)
    .replace(namedVariable, `$1${hidden}`)
    .replace(flag, `$1 ${hidden}`)
    .replace(element, `$1${hidden}`)
    .replace(userOfAddress, `${hidden}@`)
    .replace(query, `$1=${hidden}`)
    .replace(signalPath, `$1/${hidden}`)
    .replace(email, '[e-mail]')
    .replace(botToken, hidden);
}

/** A text without long words of letters and digits, as tokens are; what the gateway numbers itself is in members of their own. */
export function withoutLongWords(text: string, replaced: (word: string) => string): string {
  const whole = text.replace(base64Word, (word) => {
    const isToken = /\+|=$/.test(word) && [/\d/, /[a-z]/, /[A-Z]/].every((sign) => sign.test(word));
    return isToken ? replaced(word) : word;
  });
  return whole.replace(longWord, (word) => {
    const isToken = /\d/.test(word) && /[a-z]/i.test(word) && !uuid.test(word);
    return isToken ? replaced(word) : word;
  });
}

/** Scheme, host and port of an address: a user, a path and parameters can each hold a credential. */
function origin(protocol: string, rest: string): string {
  const [authority = ''] = rest.split(/[/?#]/, 1);
  const isPlain = rest.split('@').length <= (authority.includes('@') ? 2 : 1);
  const host = authority.slice(authority.lastIndexOf('@') + 1);
  if (!isPlain || !/^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d+)?$/i.test(host)) return `${protocol}://${hidden}`;
  return `${protocol}://${host}${rest.length > authority.length + 1 ? `/${hidden}` : ''}`;
}
