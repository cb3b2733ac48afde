import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import { root } from './report.mjs';

const folder = 'deploy/kubernetes/fleet';
/** Made by the operator, by the commands in kustomization.yaml. */
const secrets = { trading: ['api-key'], 'trading-database': ['password', 'url'] };

/** The manifests of a fleet, as kustomize puts them together. @param hardened whether a pod can do no more than it needs */
export async function checkKubernetesFleet(report, hardened) {
  if (spawnSync('kubectl', ['version', '--client'], { stdio: 'ignore' }).status !== 0) {
    report.notRun('kubectl not found: the manifests of the fleet were not put together');
    return;
  }
  const text = report.run('kustomize puts the fleet together', 'kubectl', ['kustomize', folder]);
  if (text === undefined) return;
  const objects = parseAllDocuments(text).map((document) => document.toJS());
  const of = (kind) => objects.filter((object) => object.kind === kind);
  const named = objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
  report.check('every object has a name of its own', new Set(named).size === named.length, named.join('\n'));

  for (const object of objects) {
    const problem = await schemaProblem(object);
    report.check(
      `${object.kind} ${object.metadata.name} is as the schema of ${object.apiVersion} says`,
      !problem,
      problem,
    );
  }
  for (const { metadata, spec } of of('StatefulSet')) {
    const { name } = metadata;
    const { labels } = spec.template.metadata;
    const pod = spec.template.spec;
    report.check(`${name}: no root, no capabilities, read-only`, hardened(pod));
    report.check(`${name}: what it mounts and reads is there`, missingIn(spec, of('ConfigMap')).length === 0);
    report.check(`${name}: its service names its pods`, of('Service').some(isServiceOf(spec, labels)));
    const claims = spec.volumeClaimTemplates.flatMap((claim) => claim.spec.accessModes);
    report.check(`${name}: one pod alone mounts its volume`, claims.join() === 'ReadWriteOncePod');
    const policies = of('NetworkPolicy').filter((policy) => selects(policy.spec.podSelector.matchLabels, labels));
    report.check(`${name}: its port is closed to other pods`, policies.length === 1 && isClosed(policies[0], pod));
  }
  checkAccounts(report, of);
  const [one] = parseAllDocuments(read('deploy/kubernetes/gateway.yaml')).map((document) => document.toJS());
  const probesOf = ({ containers: [container] }) =>
    ['startupProbe', 'livenessProbe', 'readinessProbe'].map((name) => JSON.stringify(sorted(container[name]))).join();
  report.check(
    'the probes of the gateways are those of gateway.yaml',
    gatewaysOf(of).every(({ spec }) => probesOf(spec.template.spec) === probesOf(one.spec.template.spec)),
  );
  const { volumes } = parse(read('docker-compose.fleet.yml')).services.database;
  const script = volumes.find((volume) => volume.includes(':/docker-entrypoint-initdb.d/'));
  const same = script?.startsWith(`./${folder}/database.sh:`) && existsSync(join(root, folder, 'database.sh'));
  report.check('docker-compose.fleet.yml creates the role and the schema with the same script', same, script);
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
function checkAccounts(report, of) {
  const gateways = gatewaysOf(of);
  const logins = gateways.map(({ spec }) => {
    const { env } = spec.template.spec.containers[0];
    return ['TERMINAL_LOGIN', 'SIM_LOGIN'].map((name) => env.find((one) => one.name === name).value);
  });
  report.check(
    'a gateway is never started twice',
    gateways.every(({ spec }) => spec.replicas === 1),
  );
  report.check(
    'each gateway has an account of its own, and the simulator has the same',
    logins.every(([login, simulated]) => login === simulated) && new Set(logins.flat()).size === gateways.length,
    logins.join('\n'),
  );
  const configuration = of('ConfigMap').find(({ data }) => 'daemon.yaml' in data);
  const named = Object.values(parse(configuration.data['daemon.yaml']).gateways).map(({ url }) => url);
  const served = gateways.map(({ metadata }) => `http://${metadata.name}:5001`);
  report.check('the daemons know every gateway, by its service', named.sort().join() === served.sort().join());
  const lines = gateways.map(({ spec }) =>
    read(`${folder}/${spec.template.metadata.labels.account}/kustomization.yaml`).trim().split('\n'),
  );
  report.check(
    'an account is a folder of ten lines',
    lines.every(({ length }) => length <= 10),
  );
}

const gatewaysOf = (of) => of('StatefulSet').filter(({ metadata }) => metadata.labels.app === 'trading-gateway');

/** What a pod mounts or reads and nothing makes. */
function missingIn({ template, volumeClaimTemplates }, configMaps) {
  const { containers, volumes } = template.spec;
  const made = [...volumes, ...volumeClaimTemplates.map(({ metadata }) => metadata)].map(({ name }) => name);
  const maps = configMaps.map(({ metadata }) => metadata.name);
  const keys = containers.flatMap(({ env }) => env.flatMap(({ valueFrom }) => valueFrom?.secretKeyRef ?? []));
  return [
    ...containers.flatMap(({ volumeMounts }) => volumeMounts).filter(({ name }) => !made.includes(name)),
    ...volumes.filter(({ configMap }) => configMap && !maps.includes(configMap.name)),
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
