import { StringDecoder } from 'node:string_decoder';
import type { Files, OpenFile } from '@libs/files';
import { AuditCheck, type AuditFindings } from './audit-check';
import { isRotated, newestRotatedTail, reading } from './audit-lines';

/** Some hundred lines: checking them delays nothing else. */
const chunkBytes = 64 * 1024;

/**
 * Checks an audit log from its first line to its last, while lines may be added. A log that does not exist has no lines.
 * @param running returns whether the request of an intent is running now
 * @param written number of a line that was written; the log must reach it
 * @throws an error of the file system if the log exists and cannot be read
 */
export async function verifyAuditLog(
  files: Files,
  path: string,
  running: () => (intentId: string) => boolean = () => () => false,
  written = 0,
): Promise<AuditFindings> {
  const findings = await checkedLines(files, path, running);
  const { first_sequence: first, last_sequence: last, problems, problem_count } = findings;
  // One that is rotated away itself may be the oldest that is kept.
  const rotated = (await isRotated(files, path)) ? null : ((await newestRotatedTail(files, path))?.sequence ?? 0);
  if (rotated === null) return findings;
  const missing = [
    ...(first !== null && first > 1 && rotated < first - 1
      ? [`line 1: the log begins with sequence ${first}, and no rotated file beside it ends with ${first - 1}`]
      : []),
    ...(Math.max(last ?? 0, rotated) < written
      ? [`the log ends with sequence ${Math.max(last ?? 0, rotated)}, and ${written} was written`]
      : []),
  ];
  return { ...findings, problems: [...missing, ...problems], problem_count: problem_count + missing.length };
}

async function checkedLines(
  files: Files,
  path: string,
  running: () => (intentId: string) => boolean,
): Promise<AuditFindings> {
  const check = new AuditCheck();
  const isInFlight = await reading(files, path, (file) => addLines(check, file, running), ['ENOENT']);
  return check.findings(isInFlight ?? undefined);
}

/**
 * Asks what is running before each read: an intent that is in the log before the last read and has no outcome after it belongs
 * to one of those requests, or its outcome is missing.
 */
async function addLines(
  check: AuditCheck,
  file: OpenFile,
  running: () => (intentId: string) => boolean,
): Promise<(intentId: string) => boolean> {
  const buffer = Buffer.alloc(chunkBytes);
  const decoder = new StringDecoder('utf8');
  let rest = '';
  for (let position = 0; ;) {
    const isInFlight = running();
    const { bytesRead } = await file.read(buffer, 0, chunkBytes, position);
    if (bytesRead === 0) {
      if (rest !== '') check.add(rest);
      return isInFlight;
    }
    position += bytesRead;
    const lines = `${rest}${decoder.write(buffer.subarray(0, bytesRead))}`.split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) check.add(line);
  }
}
