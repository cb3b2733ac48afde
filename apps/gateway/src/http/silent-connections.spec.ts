import { connect } from 'node:net';
import { once } from 'node:events';
import { gatewayUnderTest, removeFolder } from '../testing/gateway-under-test';

describe('a connection that never asks anything', () => {
  it('is ended at shutdown, rather than waited for', async () => {
    const gateway = await gatewayUnderTest();
    await gateway.app.listen(0, '127.0.0.1');
    const socket = connect(Number(new URL(await gateway.app.getUrl()).port), '127.0.0.1');
    await once(socket, 'connect');
    socket.on('error', () => undefined);
    const ended = once(socket, 'close');
    await gateway.stop();
    await ended;
    expect(socket.destroyed).toBe(true);
    removeFolder(gateway.folder);
  });
});
