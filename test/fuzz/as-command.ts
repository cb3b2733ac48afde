import { requestBytes } from './raw-request';
import type { FuzzRequest } from './fuzz-request';

/** The request as a shell command, for a program that listens on this port. */
export function asCommand(request: FuzzRequest, port = 5_001): string {
  if (request.way === 'socket') {
    return `echo ${requestBytes(request).toString('base64')} | base64 -d | nc localhost ${port}`;
  }
  const { method, url, headers, body } = request;
  const parts = ['curl', '-sS', '--path-as-is', '-X', method, ...headers.map(([name, value]) => header(name, value))];
  if (body !== null) parts.push('--data-binary', isPlain(body) ? quoted(body.toString('latin1')) : '@-');
  const call = [...parts, quoted(`http://localhost:${port}${url}`)].join(' ');
  return body === null || isPlain(body) ? call : `echo ${body.toString('base64')} | base64 -d | ${call}`;
}

function header(name: string, value: string): string {
  return `-H ${quoted(value === '' ? `${name};` : `${name}: ${value}`)}`;
}

/** Printable text: a shell shows it as it is. */
function isPlain(body: Buffer): boolean {
  return body.length < 4_000 && /^[\x20-\x7e]*$/.test(body.toString('latin1'));
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
