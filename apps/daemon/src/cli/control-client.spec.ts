import { addressOf } from './control-client';

it.each([
  ['127.0.0.1', '127.0.0.1'],
  ['localhost', 'localhost'],
  ['0.0.0.0', '127.0.0.1'],
  ['::', '[::1]'],
  ['::1', '[::1]'],
])('a daemon that listens on %s is asked at %s', (host, address) => {
  expect(addressOf(host)).toBe(address);
  expect(new URL(`http://${addressOf(host)}:7070/status`).port).toBe('7070');
});
