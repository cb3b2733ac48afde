import { hostCheck, isLoopback } from './allowed-hosts';

const check = (names: readonly string[], isBoundToLoopback: boolean, headers: Record<string, string>) =>
  hostCheck({ names, isBoundToLoopback })({ headers })?.errorType ?? 'admitted';

describe('a port on loopback', () => {
  it.each(['localhost', 'LocalHost:6547', '127.0.0.1:80', '[::1]:7070', '[::1]', 'localhost.'])(
    'accepts Host %s',
    (host) => {
      expect(check([], true, { host })).toBe('admitted');
    },
  );

  it.each(['evil.example:6547', '127.0.0.1.evil.example', 'localhost@evil.example', '', '10.0.0.1', '[::2]:1'])(
    'rejects Host %s',
    (host) => {
      expect(check([], true, { host })).toBe('forbidden');
    },
  );

  it('accepts the configured names in addition to those of loopback', () => {
    expect(check(['Desk.example'], true, { host: 'desk.example:7070' })).toBe('admitted');
    expect(check(['desk.example'], true, { host: 'localhost' })).toBe('admitted');
  });

  it.each([
    ['http://evil.example', 'forbidden'],
    ['null', 'forbidden'],
    ['http://localhost:3000', 'admitted'],
  ])('answers a page of %s: %s', (origin, outcome) => {
    expect(check([], true, { host: 'localhost:7070', origin })).toBe(outcome);
  });
});

describe('a port on the network', () => {
  it('accepts any Host, and only pages of that host', () => {
    expect(check([], false, { host: 'daemon:7070' })).toBe('admitted');
    expect(check([], false, { host: 'daemon:7070', origin: 'https://daemon' })).toBe('admitted');
    expect(check([], false, { host: 'daemon:7070', origin: 'https://evil.example' })).toBe('forbidden');
    expect(check(['desk.example'], false, { host: 'daemon:7070', origin: 'https://desk.example' })).toBe('admitted');
  });
});

it.each([
  ['127.0.0.1', true],
  ['127.8.0.1', true],
  ['localhost', true],
  ['::1', true],
  ['0.0.0.0', false],
  ['::', false],
  ['10.0.0.1', false],
])('%s is loopback: %s', (address, expected) => {
  expect(isLoopback(address)).toBe(expected);
});
