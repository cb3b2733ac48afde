import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { verifyRelease } from './checksums.mjs';
import { run } from './commands.mjs';

/**
 * Sends a release to npm, PyPI and GitHub with the credentials of npm, twine and gh. It ends at the first step that fails; the steps
 * that are left are printed before.
 * @param isDry whether the steps are only printed
 * @throws ReleaseError
 */
export function publishRelease(folder, isDry) {
  const { predicate } = verifyRelease(folder);
  const { tag } = predicate.buildDefinition.externalParameters;
  const steps = stepsOf(folder, tag);
  console.log(`These commands publish ${tag}:\n${steps.map((step) => `  ${step.join(' ')}`).join('\n')}`);
  if (isDry) return;
  for (const [command, ...args] of steps) {
    console.log(`\n${command} ${args.join(' ')}`);
    run(command, args, { shows: true });
  }
}

function stepsOf(folder, tag) {
  const files = readdirSync(folder).sort();
  const paths = (pattern) => files.filter((name) => pattern.test(name)).map((name) => join(folder, name));
  // The SDK of strategies comes with the daemon, and its scope is only ours in a clone: it is sent to GitHub alone. A version with a hyphen is not what npm installs by default.
  const channel = tag.includes('-') ? ['--tag', 'next'] : [];
  return [
    ...paths(/^trading-gateway-.*\.tgz$/).map((file) => ['npm', 'publish', file, '--access', 'public', ...channel]),
    ['python3', '-m', 'twine', 'upload', '--non-interactive', ...paths(/^trading_gateway-.*\.(whl|tar\.gz)$/)],
    ['gh', 'release', 'create', tag, '--verify-tag', '--title', tag, '--notes-from-tag', ...paths(/./)],
  ];
}
