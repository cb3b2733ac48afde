import { readDaemonSettings } from '../daemon.config';

describe('the labels of a host', () => {
  it('are listed, and refused when a configuration could not name them', () => {
    expect(readDaemonSettings({ DAEMON_LABELS: 'fast, eu-1' }).DAEMON_LABELS).toEqual(['fast', 'eu-1']);
    expect(() => readDaemonSettings({ DAEMON_LABELS: 'fast,two words' })).toThrow(/DAEMON_LABELS must list labels of/);
  });
});
