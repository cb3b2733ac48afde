import { SettingRefused } from './setting';

/** Check of a setting that is the address of a server. @throws SettingRefused */
export function requireWebAddress(value: string): void {
  if (!URL.canParse(value) || !/^https?:$/.test(new URL(value).protocol)) {
    throw new SettingRefused('must be an http or https URL');
  }
}
