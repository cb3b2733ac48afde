import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { GatewayProgram } from '../e2e/programs/gateway-program';
import { Scratch } from '../e2e/programs/scratch';

const unfinishedBody =
  'POST /order HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 600\r\n\r\n{';
const burst = 'GET /apidocs/openapi.json HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(1_300);
const deepBody = `POST /order HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 20000\r\n\r\n${'['.repeat(20_000)}`;

describe('a client without the key', () => {
  const scratch = new Scratch();
  const sockets: Socket[] = [];
  let gateway: GatewayProgram;

  beforeEach(async () => {
    gateway = await GatewayProgram.startReady(scratch);
  });
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    await scratch.clear();
  });

  const attack = async (bytes: string): Promise<Socket> => {
    const { hostname, port } = new URL(gateway.url);
    const socket = connect(Number(port), hostname);
    socket.on('error', () => undefined);
    sockets.push(socket);
    await Promise.race([once(socket, 'connect'), once(socket, 'close')]);
    socket.write(bytes);
    return socket;
  };

  it.each([
    ['connections that send nothing', '', 400],
    ['unfinished headers', 'POST /order HTTP/1.1\r\nHo', 400],
    ['unfinished bodies', unfinishedBody, 400],
    ['bursts of pipelined requests', burst, 20],
    ['bottomless bodies', deepBody, 50],
  ])('cannot keep the kill switch, a read or the shutdown from working with %s', async (_case, bytes, count) => {
    for (let sent = 0; sent < count; sent++) await attack(bytes);
    expect((await gateway.call('/kill', { method: 'POST' })).status).toBe(200);
    expect((await gateway.call('/account')).status).toBe(200);
    await attack(bytes);
    expect(await gateway.stop()).toBe(0);
    expect(gateway.logs.filter((line) => line.includes('"level":"ERROR"'))).toEqual([]);
  });

  it('leaves room for more connections while the gateway is busy', async () => {
    gateway.freeze();
    // A connection beyond the backlog is not made until the gateway goes on.
    await Promise.all(Array.from({ length: 1_000 }, () => attack('')));
    gateway.thaw();
    expect((await gateway.call('/kill', { method: 'POST' })).status).toBe(200);
  });
});
