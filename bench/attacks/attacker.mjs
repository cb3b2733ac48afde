// A client without the key, in a process of its own: it holds connections that send `bytes` and then `trickle` each
// 100 ms, and opens another `reopenMs` after the gateway has closed one. Ends when its parent disconnects.
import { connect } from 'node:net';
import { clearInterval, setInterval } from 'node:timers';

const trickleMs = 100;

process.once('message', ({ port, connections, bytes, trickle = '', reopenMs = 20 }) => {
  let made = 0;
  const open = () => {
    const socket = connect(port, '127.0.0.1', () => {
      made += 1;
      socket.write(bytes);
    });
    const timer = trickle === '' ? undefined : setInterval(() => socket.write(trickle), trickleMs);
    socket.on('error', () => undefined);
    socket.on('close', () => {
      clearInterval(timer);
      setTimeout(open, reopenMs);
    });
    socket.resume();
  };
  for (let index = 0; index < connections; index += 1) open();
  process.on('message', () => process.send({ made }));
});
process.on('disconnect', () => process.exit(0));
