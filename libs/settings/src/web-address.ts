import { SettingRefused } from './setting';

/** Check of a setting that is the address of a server. @throws SettingRefused */
export function requireWebAddress(value: string): void {
  const problem = webAddressProblem(value);
  if (problem !== null) throw new SettingRefused(problem);
}

/** Why a text is no address of a server; null if it is one. A credential in it would be shown wherever the address is. */
export function webAddressProblem(value: string): string | null {
  const url = URL.canParse(value) ? new URL(value) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) return 'must be an http or https URL';
  return url.username === '' && url.password === '' ? null : 'must not contain a user name or password';
}
