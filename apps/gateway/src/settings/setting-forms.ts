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
};
