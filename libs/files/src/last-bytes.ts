import type { OpenFile } from './files';

/** Reads the end of a file, or all of a shorter one. @throws Error of the file system */
export async function lastBytes(file: OpenFile, atMost: number): Promise<Buffer> {
  const { size } = await file.stat({ bigint: true });
  const length = Math.min(Number(size), atMost);
  const buffer = Buffer.alloc(length);
  const { bytesRead } = await file.read(buffer, 0, length, Number(size) - length);
  return buffer.subarray(0, bytesRead);
}
