import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { machineFiles, type Files } from '@libs/files';
import { gatewayUnderTest, removeFolder } from '../testing/gateway-under-test';
import { eurusd } from './testing/trading-gateway';

/** Files of which the audit log can be opened so often for reading, as while too many are open. */
function readable(times: number): Files {
  let left = times;
  const files = Object.create(machineFiles) as { open: Files['open'] } & Omit<Files, 'open'>;
  files.open = (path, flags, mode) => {
    const isRead = path.endsWith('order-audit.jsonl') && flags === 'r';
    if (isRead && left-- <= 0)
      return Promise.reject(Object.assign(new Error('too many open files'), { code: 'EMFILE' }));
    return machineFiles.open(path, flags, mode);
  };
  return files;
}

describe('an audit log that cannot be read at the start', () => {
  let folder: string;
  beforeEach(async () => {
    const gateway = await gatewayUnderTest({ env: { SIM_HOURS: 'always' } });
    folder = gateway.folder;
    const headers = { 'idempotency-key': 'k' };
    // Its comment is not the tag of a key, so that the account shows nothing of the loss.
    const payload = { ...eurusd, type: 'BUY', comment: 'mine' };
    const { statusCode, body } = await gateway.call({ method: 'POST', url: '/order', headers, payload });
    if (statusCode !== 200) throw new Error(body);
    await gateway.stop();
  });
  afterEach(() => removeFolder(folder));

  it.each([0, 1])(
    'prevents the start with a new journal, after %i reads: used keys would be sent again',
    async (reads) => {
      rmSync(join(folder, 'state', 'trade-journal'), { recursive: true });
      const start = gatewayUnderTest({ folder, files: readable(reads) });
      await expect(start).rejects.toThrow('the audit log cannot be read: EMFILE');
    },
  );

  it('does not prevent it with the journal that it had, whose keys are known', async () => {
    const gateway = await gatewayUnderTest({ folder, files: readable(0) });
    const { body } = await gateway.call('/trade_requests/k');
    expect(JSON.parse(body)).toMatchObject({ status: 'completed' });
    await gateway.stop();
  });
});
