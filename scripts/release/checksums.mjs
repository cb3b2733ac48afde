import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ReleaseError } from './commands.mjs';

export const sumsName = 'SHA256SUMS';
export const provenanceName = 'provenance.intoto.json';

/** SHA-256 of a file, in hexadecimal digits. */
export function sha256Of(file) {
  return createHash('sha256').update(readFileSync(file)).digest('hex');
}

/** The files of a release besides its checksums, by name. */
export function artifactsIn(folder) {
  return readdirSync(folder)
    .filter((name) => name !== sumsName)
    .sort();
}

/** Writes the checksums of all files of a folder, as `sha256sum --check` reads them. */
export function writeChecksums(folder) {
  const lines = artifactsIn(folder).map((name) => `${sha256Of(join(folder, name))}  ${name}\n`);
  writeFileSync(join(folder, sumsName), lines.join(''));
}

/**
 * Compares the files of a release with its checksums and with the subjects of its provenance.
 * @returns the provenance statement
 * @throws ReleaseError with every file that differs, is missing or is not listed
 */
export function verifyRelease(folder) {
  for (const name of [sumsName, provenanceName]) {
    if (!existsSync(join(folder, name))) throw new ReleaseError(`${folder} is no release: ${name} is missing`);
  }
  const listed = new Map(
    readFileSync(join(folder, sumsName), 'utf8')
      .split('\n')
      .filter(Boolean)
      .map((line) => [line.slice(66), line.slice(0, 64)]),
  );
  const there = artifactsIn(folder);
  const statement = JSON.parse(readFileSync(join(folder, provenanceName), 'utf8'));
  const stated = new Map(statement.subject.map(({ name, digest }) => [name, digest.sha256]));
  const problems = [
    ...there.filter((name) => !listed.has(name)).map((name) => `${name} has no checksum`),
    ...[...listed.keys()].filter((name) => !there.includes(name)).map((name) => `${name} is missing`),
  ];
  for (const name of there.filter((one) => listed.has(one))) {
    const sum = sha256Of(join(folder, name));
    if (sum !== listed.get(name)) problems.push(`${name} has another checksum`);
    if (name !== provenanceName && sum !== stated.get(name)) problems.push(`${name} is not what the provenance states`);
  }
  if (problems.length > 0)
    throw new ReleaseError(`${folder} is not whole:\n${problems.map((one) => `  ${one}`).join('\n')}`);
  console.log(`${folder} is whole: ${there.length} files`);
  return statement;
}
