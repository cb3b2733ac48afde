import { mkdtempSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Clockwork } from './clockwork';
import { NotedStores } from './real-work';

describe('a virtual clock that runs beside sockets and disks', () => {
  const passed = async (work: Promise<unknown>): Promise<number> => {
    const time = new Clockwork(0);
    await time.inTime(work);
    return time.clock.nowMs();
  };

  it('stands still while a request has no answer', async () => {
    const server = createServer((_request, response) => void setTimeout(() => response.end('{}'), 100));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    expect(await passed(fetch(`http://127.0.0.1:${port}`).then((response) => response.text()))).toBeLessThan(2_000);
    server.closeAllConnections();
    server.close();
  });

  it('stands still while writes are not on disk', async () => {
    const path = mkdtempSync(join(tmpdir(), 'clockwork-'));
    const store = new NotedStores().open({ name: 'the rows', path, layout: 'folder', maxTables: 1 }, (source) =>
      source.table<number, number>('rows'),
    );
    const writes = async (): Promise<void> => {
      for (let row = 0; row < 50; row++) await store.write((rows) => void rows.put(row, row));
    };
    expect(await passed(writes())).toBeLessThan(2_000);
    await store.close();
  });

  it('runs while nothing is under way', async () => {
    expect(await passed(new Promise((resolve) => setTimeout(resolve, 200)))).toBeGreaterThan(2_000);
  });
});
