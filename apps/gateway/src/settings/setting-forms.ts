import { SettingRefused } from '@libs/settings';

/** The form of an API key. */
export const keyForm = {
  secret: true,
  pattern: /^[\x21-\x7e]{1,4096}$/,
  shape: 'up to 4096 characters of printable ASCII without spaces',
};

/** The form of an address: a name or an IP address with its port. */
export const hostAndPort = {
  pattern: /^(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+):\d{1,5}$/,
  shape: 'host:port',
  check: (value: string): void => {
    const port = Number(value.slice(value.lastIndexOf(':') + 1));
    if (port < 1 || port > 65_535) throw new SettingRefused('must have a port from 1 to 65535');
  },
};
