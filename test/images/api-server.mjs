import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { root } from './report.mjs';

const version = '1.32.4';
const ports = { api: 26_443, etcd: 26_379, peer: 26_380 };
const program = `package main

import (
	"os"
	"path/filepath"

	"go.etcd.io/etcd/server/v3/etcdmain"
	"k8s.io/component-base/cli"
	"k8s.io/kubernetes/cmd/kube-apiserver/app"
)

func main() {
	if filepath.Base(os.Args[0]) == "etcd" {
		etcdmain.Main(os.Args)
		return
	}
	os.Exit(cli.Run(app.NewAPIServerCommand()))
}
`;

/** Applies every manifest to a kube-apiserver with its etcd, both of one program from the Go module proxy, which is kept in .build. */
export async function checkApiServer(report, folder) {
  const place = join(root, '.build/api-server');
  if (!existsSync(join(place, 'kube-apiserver')) && !build(report, place)) return;
  const etcd = join(folder, 'etcd');
  symlinkSync(join(place, 'kube-apiserver'), etcd);
  writeFileSync(join(folder, 'tokens.csv'), 'test,admin,admin,system:masters\n');
  const key = join(folder, 'accounts.key');
  if (report.run('a key for service accounts is made', 'openssl', ['genrsa', '-out', key, '2048']) === undefined)
    return;
  const store = `http://127.0.0.1:${ports.etcd}`;
  const peer = `http://127.0.0.1:${ports.peer}`;
  const urls = ['--listen-client-urls', store, '--advertise-client-urls', store, '--listen-peer-urls', peer];
  const running = [spawn(etcd, ['--data-dir', join(folder, 'store'), ...urls], { stdio: 'ignore' })];
  const settings = {
    ...{
      'etcd-servers': store,
      'secure-port': ports.api,
      'bind-address': '127.0.0.1',
      'cert-dir': join(folder, 'certs'),
    },
    ...{ 'service-account-issuer': 'https://test', 'service-account-key-file': key },
    ...{ 'service-account-signing-key-file': key, 'service-cluster-ip-range': '10.0.0.0/24' },
    ...{ 'token-auth-file': join(folder, 'tokens.csv'), 'disable-admission-plugins': 'ServiceAccount' },
  };
  const args = Object.entries(settings).map(([name, value]) => `--${name}=${value}`);
  running.push(spawn(join(place, 'kube-apiserver'), args, { stdio: 'ignore' }));
  try {
    await applyAll(report);
  } finally {
    for (const child of running) child.kill('SIGKILL');
  }
}

function build(report, place) {
  mkdirSync(place, { recursive: true });
  const env = { ...process.env, GOFLAGS: '-mod=mod' };
  const go = (...args) => spawnSync('go', args, { cwd: place, env, encoding: 'utf8' });
  const origin = JSON.parse(go('mod', 'download', '-json', `k8s.io/kubernetes@v${version}`).stdout);
  const { Replace: staged } = JSON.parse(go('mod', 'edit', '-json', origin.GoMod).stdout);
  // The parts of Kubernetes are modules of their own, with the version of the whole.
  const parts = staged.map(({ Old: { Path: path } }) => `replace ${path} => ${path} v${version.replace('1.', '0.')}\n`);
  const required = `require k8s.io/kubernetes v${version}\nrequire go.etcd.io/etcd/server/v3 v3.5.16\n`;
  writeFileSync(join(place, 'go.mod'), `module apiserver\ngo 1.23.0\n${required}${parts.join('')}`);
  writeFileSync(join(place, 'main.go'), program);
  const steps = [go('mod', 'tidy'), go('build', '-trimpath', '-o', 'kube-apiserver', '.')];
  const failed = steps.find(({ status }) => status !== 0);
  return report.check('kube-apiserver and etcd are built from their modules', !failed, failed?.stderr);
}

async function applyAll(report) {
  // No cluster of the user is meant.
  const env = { ...process.env, KUBECONFIG: '/dev/null' };
  const server = [`--server=https://127.0.0.1:${ports.api}`, '--insecure-skip-tls-verify', '--token=test'];
  const kubectl = (args, input) => spawnSync('kubectl', [...server, ...args], { input, encoding: 'utf8', env });
  let isReady = false;
  for (let tries = 0; tries < 120 && !isReady; tries += 1) {
    isReady = kubectl(['get', '--raw', '/readyz']).stdout === 'ok';
    if (!isReady) await delay(1_000);
  }
  if (!report.check('the API server is ready', isReady)) return;
  for (const name of ['single', 'fleet', 'terminals']) {
    const restricted = ['enforce', 'warn'].map((mode) => `pod-security.kubernetes.io/${mode}=restricted`);
    kubectl(['create', 'namespace', name]);
    kubectl(['label', 'namespace', name, ...restricted]);
    const files = ['gateway', 'daemon'].flatMap((file) => ['-f', join(root, `deploy/kubernetes/${file}.yaml`)]);
    const { stdout } = spawnSync('kubectl', ['kustomize', join(root, 'deploy/kubernetes', name)], { encoding: 'utf8' });
    const source = name === 'single' ? files : ['-f', '-'];
    const { status, stderr } = kubectl(['apply', '--validate=strict', '-n', name, ...source], stdout);
    // What the pods of a controller would violate is a warning of its own.
    report.check(
      `${name}: an API server takes it, in a restricted namespace, without a warning`,
      status === 0 && !stderr,
      stderr,
    );
  }
}
