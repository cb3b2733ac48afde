import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import { root } from './report.mjs';

const folder = 'deploy/kubernetes';
/** What is put together, and what its gateways have before them. */
const overlays = { fleet: { isReal: false }, terminals: { isReal: true } };

/** The manifests of a fleet, as kustomize puts them together. @param hardened whether a pod can do no more than it needs */
export async function checkKubernetesFleet(report, hardened) {
  if (spawnSync('kubectl', ['version', '--client'], { stdio: 'ignore' }).status !== 0) {
    report.notRun('kubectl not found: the manifests of the fleet were not put together');
    return;
  }
  for (const [name, { isReal }] of Object.entries(overlays)) await checkOverlay(report, { name, isReal, hardened });
  const { volumes } = parse(read('docker-compose.fleet.yml')).services.database;
  const script = volumes.find((volume) => volume.includes(':/docker-entrypoint-initdb.d/'));
  const same =
    script?.startsWith(`./${folder}/base/database.sh:`) && existsSync(join(root, folder, 'base/database.sh'));
  report.check('docker-compose.fleet.yml creates the role and the schema with the same script', same, script);
}

async function checkOverlay(report, { name: overlay, isReal, hardened }) {
  const text = report.run(`kustomize puts ${overlay} together`, 'kubectl', ['kustomize', `${folder}/${overlay}`]);
  if (text === undefined) return;
  const objects = parseAllDocuments(text).map((document) => document.toJS());
  const of = (kind) => objects.filter((object) => object.kind === kind);
  const named = objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
  report.check('every object has a name of its own', new Set(named).size === named.length, named.join('\n'));
  report.check('it contains no secret', of('Secret').length === 0);

  for (const object of objects) {
    const problem = await schemaProblem(object);
    report.check(
      `${object.kind} ${object.metadata.name} is as the schema of ${object.apiVersion} says`,
      !problem,
      problem,
    );
  }
  const secrets = secretsOf(overlay);
  for (const { metadata, spec } of of('StatefulSet')) {
    const { name } = metadata;
    const { labels } = spec.template.metadata;
    const pod = spec.template.spec;
    const isTerminal = isReal && metadata.labels.app === 'trading-gateway';
    if (isTerminal) report.check(`${name}: no root, no capabilities`, hardened(pod, { isReadOnly: false }));
    else report.check(`${name}: no root, no capabilities, read-only`, hardened(pod));
    const missing = missingIn(spec, of('ConfigMap'), secrets);
    report.check(`${name}: what it mounts and reads is there`, missing.length === 0, JSON.stringify(missing));
    report.check(`${name}: its service names its pods`, of('Service').some(isServiceOf(spec, labels)));
    const claims = spec.volumeClaimTemplates.flatMap((claim) => claim.spec.accessModes);
    report.check(`${name}: one pod alone mounts its volume`, claims.join() === 'ReadWriteOncePod');
    const policies = of('NetworkPolicy').filter((policy) => selects(policy.spec.podSelector.matchLabels, labels));
    report.check(`${name}: its port is closed to other pods`, policies.length === 1 && isClosed(policies[0], pod));
  }
  checkAccounts(report, overlay, of);
  if (isReal) checkTerminals(report, of);
  checkProbes(report, gatewaysOf(of), isReal);
}

/** The secrets that the operator makes, with their keys: by the commands at the head of an overlay. */
function secretsOf(overlay) {
  const head = read(`${folder}/${overlay}/kustomization.yaml`).replaceAll(/\\\n#\s*/g, '');
  const commands = [...head.matchAll(/kubectl create secret generic (\S+) (.+)/g)];
  const keysIn = (flags) => [...flags.matchAll(/--from-literal=([^=]+)=/g)].map(([, key]) => key);
  return Object.fromEntries(commands.map(([, name, flags]) => [name, keysIn(flags)]));
}

/** A real terminal takes longer to start, and is asked the same. */
function checkProbes(report, gateways, isReal) {
  const [one] = parseAllDocuments(read(`${folder}/gateway.yaml`)).map((document) => document.toJS());
  const probesOf = ({ spec }) => {
    const [{ startupProbe, livenessProbe, readinessProbe }] = spec.template.spec.containers;
    const { failureThreshold, ...startup } = startupProbe;
    const patience = isReal ? null : failureThreshold;
    return JSON.stringify(sorted([startup, patience, livenessProbe, readinessProbe]));
  };
  report.check(
    'the probes of the gateways are those of gateway.yaml',
    gateways.every((gateway) => probesOf(gateway) === probesOf(one)),
  );
}

/** What the official schema of an object's kind refuses; null if nothing. */
async function schemaProblem(object) {
  const kinds = await import(`kubernetes-models/${object.apiVersion}/${object.kind}`);
  try {
    new kinds[object.kind](object).validate();
    return null;
  } catch (error) {
    return error.message;
  }
}

/** An account has a gateway, and the configuration of the daemons names it. */
function checkAccounts(report, overlay, of) {
  const gateways = gatewaysOf(of);
  report.check(
    'a gateway is never started twice',
    gateways.every(({ spec }) => spec.replicas === 1),
  );
  const logins = gateways.map((gateway) => {
    const { TERMINAL_LOGIN, SIM_LOGIN = TERMINAL_LOGIN } = environmentOf(gateway, of);
    return [TERMINAL_LOGIN, SIM_LOGIN];
  });
  report.check(
    'each gateway has an account of its own, and the simulator has the same',
    logins.every(([login, simulated]) => login === simulated) && new Set(logins.flat()).size === gateways.length,
    logins.join('\n'),
  );
  const served = gateways.map(({ metadata }) => `http://${metadata.name}:5001`);
  const named = Object.values(daemonFileOf(of).gateways).map(({ url }) => url);
  report.check('the daemons know every gateway, by its service', named.sort().join() === served.sort().join());
  const lines = gateways.map(({ spec }) =>
    read(`${folder}/${overlay}/${spec.template.metadata.labels.account}/kustomization.yaml`).trim().split('\n'),
  );
  report.check(
    'an account is a folder of ten lines',
    lines.every(({ length }) => length <= 10),
  );
  const settings = read('docs/configuration.md');
  const unknown = gateways
    .flatMap((gateway) => Object.keys(environmentOf(gateway, of)))
    .filter((name) => !settings.includes(`\`${name.replace(/_FILE$/, '')}\``) && !settings.includes(`\`${name}\``));
  report.check('the gateways know their settings', unknown.length === 0, unknown.join('\n'));
}

/** A real account: the terminal image, the password of this account alone, and no other account than the daemons expect. */
function checkTerminals(report, of) {
  const expected = Object.values(daemonFileOf(of).gateways).map(({ url, expect }) => `${url} ${expect.login}`);
  const served = gatewaysOf(of).map((gateway) => {
    const { TERMINAL_LOGIN } = environmentOf(gateway, of);
    return `http://${gateway.metadata.name}:5001 ${TERMINAL_LOGIN}`;
  });
  report.check(
    'the daemons refuse any other account',
    expected.sort().join() === served.sort().join(),
    served.join('\n'),
  );
  for (const gateway of gatewaysOf(of)) {
    const { labels, name } = gateway.metadata;
    const { containers, volumes } = gateway.spec.template.spec;
    const environment = environmentOf(gateway, of);
    const image = containers[0].image.split(':')[0];
    report.check(`${name}: the image has a terminal`, image === 'trading-gateway-terminal', image);
    const { mountPath } = containers[0].volumeMounts.find((mount) => mount.name === 'account');
    const { secret } = volumes.find((volume) => volume.name === 'account');
    const file = environment['TERMINAL_PASSWORD_FILE'];
    report.check(
      `${name}: its password is in a secret of its own`,
      secret.secretName === `account-${labels.account}` &&
        secret.items.some(({ path }) => file === `${mountPath}/${path}`) &&
        !('TERMINAL_PASSWORD' in environment),
    );
    const shm = containers[0].volumeMounts.find((mount) => mount.mountPath === '/dev/shm');
    const memory = volumes.find((volume) => volume.name === shm?.name);
    report.check(`${name}: a login is in memory only`, memory?.emptyDir?.medium === 'Memory');
  }
}

/** Variables of a gateway, of its own and of its account. */
function environmentOf({ spec }, of) {
  const [{ env, envFrom = [] }] = spec.template.spec.containers;
  const maps = envFrom.map(({ configMapRef }) =>
    of('ConfigMap').find(({ metadata }) => metadata.name === configMapRef.name),
  );
  return Object.assign({}, ...maps.map((map) => map?.data), ...env.map(({ name, value }) => ({ [name]: value })));
}

function daemonFileOf(of) {
  return parse(of('ConfigMap').find(({ data }) => 'daemon.yaml' in data).data['daemon.yaml']);
}

const gatewaysOf = (of) => of('StatefulSet').filter(({ metadata }) => metadata.labels.app === 'trading-gateway');

/** What a pod mounts or reads and nothing makes. @param secrets keys of each secret */
function missingIn({ template, volumeClaimTemplates }, configMaps, secrets) {
  const { containers, volumes } = template.spec;
  const made = [...volumes, ...volumeClaimTemplates.map(({ metadata }) => metadata)].map(({ name }) => name);
  const maps = configMaps.map(({ metadata }) => metadata.name);
  const keys = containers.flatMap(({ env }) => env.flatMap(({ valueFrom }) => valueFrom?.secretKeyRef ?? []));
  const sources = containers.flatMap(({ envFrom = [] }) => envFrom.map(({ configMapRef }) => configMapRef));
  return [
    ...containers.flatMap(({ volumeMounts }) => volumeMounts).filter(({ name }) => !made.includes(name)),
    ...volumes.filter(({ configMap }) => configMap && !maps.includes(configMap.name)),
    ...sources.filter(({ name }) => !maps.includes(name)),
    ...volumes.filter(({ secret }) => secret && !(secret.secretName in secrets)),
    ...volumes
      .flatMap(({ secret }) => (secret?.items ?? []).map(({ key }) => [secret.secretName, key]))
      .filter(([name, key]) => !secrets[name]?.includes(key)),
    ...keys.filter(({ name, key }) => !secrets[name]?.includes(key)),
  ];
}

const isServiceOf = (set, labels) => (service) =>
  service.metadata.name === set.serviceName && selects(service.spec.selector, labels);

const selects = (selector, labels) => Object.entries(selector).every(([name, value]) => labels[name] === value);

/** Whether a policy lets named pods alone reach the port of a pod. */
function isClosed({ spec }, { containers: [{ ports }] }) {
  const [rule] = spec.ingress;
  const isNamed = rule.from.every(({ podSelector }) => Object.keys(podSelector.matchLabels).length > 0);
  return spec.policyTypes.join() === 'Ingress' && isNamed && rule.ports[0].port === ports[0].containerPort;
}

/** A value whose members are in the order of their names. */
function sorted(value) {
  if (Array.isArray(value) || typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([one], [other]) => one.localeCompare(other))
      .map(([name, member]) => [name, sorted(member)]),
  );
}

const read = (path) => readFileSync(join(root, path), 'utf8');
