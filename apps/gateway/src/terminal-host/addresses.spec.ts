import { secureAddress } from './secure-fetch';
import { serverAddress } from './resolver';
import { windowsPath } from './wine-commands';

describe('Addresses', () => {
  it.each(['https://files.example.com/a.exe', 'http://127.0.0.1:8080/a', 'http://localhost/a', 'http://[::1]:1/a'])(
    'are safe to fetch from: %s',
    (url) => {
      expect(secureAddress(url).href).toBe(new URL(url).href);
    },
  );

  it.each([
    'http://files.example.com/a.exe',
    'http://127.0.0.1.example.com/a',
    'http://localhost.example.com/a',
    'ftp://127.0.0.1/a',
    'file:///etc/passwd',
    'https://user:word@example.com/a',
    'nonsense',
  ])('are not safe to fetch from: %s', (url) => {
    expect(() => secureAddress(url)).toThrow();
  });

  it.each([
    ['10.0.0.1:443', '10.0.0.1:443'],
    [' Access.Example.com:0443 ', 'access.example.com:443'],
    ['[2001:db8::1]:443', undefined],
    ['10.0.0.1', undefined],
    ['10.0.0.1:0', undefined],
    ['10.0.0.1:65536', undefined],
    ['a b:443', undefined],
    ['x\r\n[Experts]:1', undefined],
  ])('of servers are parsed strictly: %j is %j', (text, address) => {
    expect(serverAddress(text)).toBe(address);
  });

  it('of files are the drives that Wine shows', () => {
    expect(windowsPath('/config/wine/drive_c/Program Files/M/t.exe', '/config/wine')).toBe(
      'C:\\Program Files\\M\\t.exe',
    );
    expect(windowsPath('/dev/shm/a/startup.ini', '/config/wine')).toBe('Z:\\dev\\shm\\a\\startup.ini');
  });
});
