import type { Socket } from 'node:net';

/** Everything that the server sends on a connection, until its close frame, its end, or `until`; `then` follows the handshake. */
export function received(socket: Socket, then: Buffer | undefined, until: string | undefined): Promise<Buffer> {
  return new Promise((resolve) => {
    let all: Buffer = Buffer.alloc(0);
    let rest = then;
    socket.on('data', (bytes) => {
      all = Buffer.concat([all, bytes]);
      if (rest && all.includes('\r\n\r\n')) {
        socket.write(rest);
        rest = undefined;
      }
      if ((until !== undefined && all.includes(until)) || closeCodeIn(all) !== null) socket.destroy();
    });
    socket.once('close', () => resolve(all));
  });
}

/** An answer of HTTP. */
export function parsed(bytes: Buffer): { status: number; head: string; body: string } {
  const [head = '', body = ''] = bytes.toString('latin1').split('\r\n\r\n');
  return { status: Number(head.split(' ')[1]), head, body };
}

/** The code of the close frame, the last one that the server sends. */
export function closeCodeIn(bytes: Buffer): number | null {
  if (!bytes.subarray(0, 12).equals(Buffer.from('HTTP/1.1 101'))) return null;
  let at = bytes.indexOf('\r\n\r\n') + 4;
  if (at < 4) return null;
  while (at + 2 <= bytes.length) {
    const short = (bytes[at + 1] ?? 0) & 0x7f;
    const length = short === 126 ? bytes.readUInt16BE(at + 2) : short;
    const start = at + (short === 126 ? 4 : 2);
    if (((bytes[at] ?? 0) & 0x0f) === 8 && bytes.length >= start + 2) return bytes.readUInt16BE(start);
    at = start + length;
  }
  return null;
}

interface Frame {
  readonly opcode: number;
  readonly fin?: boolean;
  readonly rsv1?: boolean;
  readonly payload?: Buffer;
}

/** A frame of a client; its mask is zero, so that the payload stays as it is. */
export function frame({ opcode, fin = true, rsv1 = false, payload = Buffer.alloc(0) }: Frame): Buffer {
  const first = (fin ? 0x80 : 0) | (rsv1 ? 0x40 : 0) | opcode;
  const { length } = payload;
  const head = length < 126 ? [first, 0x80 | length] : [first, 0x80 | 126, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([...head, 0, 0, 0, 0]), payload]);
}

export function many(count: number, bytes: Buffer): Buffer {
  return Buffer.concat(Array.from({ length: count }, () => bytes));
}
