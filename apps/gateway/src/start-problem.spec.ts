import { startProblem } from './start-problem';

describe('the reason why the gateway cannot start', () => {
  const settings = {
    ORDER_AUDIT_FILE: '/data/audit/orders.jsonl',
    KILL_SWITCH_FILE: '/data/kill-switch',
    SIM_STATE_FILE: undefined,
    STATE_DIR: '/data/state',
    TERMINAL_PROBE_PORT: undefined,
  };

  it.each(['ENOSPC', 'EDQUOT'])('names the disks to free where one is full: %s', (code) => {
    // A failed write has no path.
    const full = Object.assign(new Error(`${code}: full, write`), { code });
    expect(startProblem(full, settings)).toMatch(
      /^cannot start: .*\. Free space on the disk of STATE_DIR \(\/data\/state\) and of ORDER_AUDIT_FILE \(\/data\/audit\/orders\.jsonl\)\.$/,
    );
  });
});
