// `npm run release`: builds all artifacts of a version from its tag into one folder, verifies such a folder, and publishes it.
import { parseArgs } from 'node:util';
import { buildRelease } from './release/build-release.mjs';
import { publishRelease } from './release/publish-release.mjs';
import { ReleaseError } from './release/commands.mjs';
import { verifyRelease } from './release/checksums.mjs';

const usage = `usage: npm run release -- build TAG [--into FOLDER] [--images] [--modules FOLDER] [--image-base IMAGE]
                                     all artifacts of a tag, in .build/release/TAG; --images: with both images, as OCI
                                     archives; takes buildah. For tests: --modules: these installed packages instead
                                     of those that npm ci installs; --image-base: instead of that of the Dockerfiles
       npm run release -- verify FOLDER    compare each file with its checksum and with the provenance
       npm run release -- publish FOLDER [--dry-run]
                                     verify it, then send it to npm, PyPI and GitHub with your credentials`;

const commands = {
  build: (tag, { into, modules, images, 'image-base': imageBase }) =>
    buildRelease(tag, { into, modules, images, imageBase }),
  verify: (folder) => verifyRelease(folder),
  publish: (folder, { 'dry-run': isDry = false }) => publishRelease(folder, isDry),
};

try {
  const text = { type: 'string' };
  const isOn = { type: 'boolean' };
  const options = { into: text, modules: text, images: isOn, 'image-base': text, 'dry-run': isOn, help: isOn };
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  if (values.help) {
    console.log(usage);
    process.exit(0);
  }
  const [name, subject, ...more] = positionals;
  if (!Object.hasOwn(commands, name ?? '') || subject === undefined || more.length > 0)
    throw new ReleaseError(usage, 2);
  commands[name](subject, values);
} catch (error) {
  const isWrong = typeof error?.code === 'string' && error.code.startsWith('ERR_PARSE_ARGS');
  if (!(error instanceof ReleaseError) && !isWrong) throw error;
  console.error(isWrong ? `${error.message}\n${usage}` : error.message);
  process.exitCode = isWrong ? 2 : error.exitCode;
}
