import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { checkKubernetesFleet } from './kubernetes-fleet.mjs';
import { root } from './report.mjs';

/** The example manifests: probes that mean the right thing, and containers that can do no more than they need. */
export async function checkKubernetes(report) {
  for (const [name, live, ready] of [
    ['gateway', '/health/live', '/health/ready'],
    ['daemon', '/health', '/health'],
  ]) {
    const documents = parseAllDocuments(readFileSync(join(root, `deploy/kubernetes/${name}.yaml`), 'utf8'));
    const broken = documents.flatMap(({ errors }) => errors);
    if (!report.check(`${name}.yaml is YAML`, broken.length === 0, broken.join())) continue;
    const deployment = documents.map((document) => document.toJS()).find(({ kind }) => kind === 'Deployment');
    const { containers, volumes } = deployment.spec.template.spec;
    const [container] = containers;
    const paths = ['livenessProbe', 'readinessProbe'].map(
      (probe) => container[probe].httpGet?.path ?? container[probe].exec.command.at(-1),
    );
    report.check(
      `${name}: liveness and readiness are asked where they are answered`,
      paths.join() === [live, ready].join(),
    );
    // A route that wants the key is asked by a command that reads it; test/e2e/probes.e2e-spec.ts runs it.
    const keyless = [container.livenessProbe, container.readinessProbe].filter(({ httpGet }) => httpGet);
    report.check(
      `${name}: no probe without a key asks a route that wants one`,
      keyless.every(
        ({ httpGet }) =>
          ['/health/live', '/health'].includes(httpGet.path) && (name === 'daemon' || httpGet.path !== '/health'),
      ),
    );
    const alone = deployment.spec.replicas === 1 && deployment.spec.strategy.type === 'Recreate';
    report.check(`${name}: never two at once`, alone);
    report.check(`${name}: no root, no capabilities, read-only`, isHardened(deployment.spec.template.spec));
    const mounted = container.volumeMounts.every((mount) => volumes.some((volume) => volume.name === mount.name));
    report.check(`${name}: what it mounts is there`, mounted);
  }
  await checkKubernetesFleet(report, isHardened);
  report.notRun('kubectl: the manifests have met no cluster');
}

/** Whether a pod can do no more than it needs. @param isReadOnly whether its root must be read-only */
function isHardened({ containers: [container], securityContext }, { isReadOnly = true } = {}) {
  const { readOnlyRootFilesystem, capabilities, allowPrivilegeEscalation } = container.securityContext;
  const isBound =
    (readOnlyRootFilesystem || !isReadOnly) && capabilities.drop.includes('ALL') && allowPrivilegeEscalation === false;
  return isBound && securityContext.runAsNonRoot === true;
}
