import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { repository } from './programs/started-program';

interface Peer {
  readonly podSelector?: { readonly matchLabels?: Readonly<Record<string, string>> };
  readonly namespaceSelector?: object;
}
interface Manifest {
  readonly kind?: string;
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly publishNotReadyAddresses?: boolean;
    readonly selector?: Readonly<Record<string, string>>;
    readonly podSelector?: { readonly matchLabels: Readonly<Record<string, string>> };
    readonly ingress?: readonly { readonly from: readonly Peer[] }[];
    readonly template?: { readonly spec: { readonly securityContext?: Readonly<Record<string, unknown>> } };
  };
}

const folder = join(repository, 'deploy/kubernetes');
/** Every object of the manifests, by its file. */
const manifests: readonly (readonly [string, Manifest])[] = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.yaml'))
  .flatMap((file) =>
    parseAllDocuments(readFileSync(join(folder, file), 'utf8')).map((document) => {
      const manifest = document.toJS() as Manifest;
      return [`${file}: ${manifest.kind ?? ''} ${manifest.metadata?.name ?? ''}`, manifest] as const;
    }),
  );
const ofKind = (...kinds: string[]) => manifests.filter(([, { kind = '' }]) => kinds.includes(kind));
const isPatch = (name: string): boolean => /^(fleet|terminals)\//.test(name);

describe('the manifests for Kubernetes', () => {
  it('keep a gateway reachable while it is not ready: a halt is released and an order is cancelled there', () => {
    const services = ofKind('Service').filter(([, { spec }]) => spec.selector?.app === 'trading-gateway');
    expect(services.length).toBeGreaterThanOrEqual(2);
    const closed = services.filter(([, { spec }]) => spec.publishNotReadyAddresses !== true);
    expect(closed.map(([name]) => name)).toEqual([]);
  });

  it('run in a namespace that enforces the Pod Security Standard "restricted"', () => {
    const pods = ofKind('Deployment', 'StatefulSet').filter(([name]) => !isPatch(name));
    expect(pods.length).toBeGreaterThanOrEqual(5);
    for (const [name, { spec }] of pods)
      expect({ name, ...spec.template?.spec.securityContext }).toMatchObject({
        ...{ name, runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
      });
  });

  it('let a pod with the label of a Prometheus read the metrics of every gateway and daemon, from any namespace', () => {
    const metrics = { namespaceSelector: {}, podSelector: { matchLabels: { 'trading-access': 'metrics' } } };
    const policies = ofKind('NetworkPolicy').filter(([, { spec }]) =>
      ['trading-gateway', 'trading-daemon'].includes(spec.podSelector?.matchLabels.app ?? ''),
    );
    expect(policies).toHaveLength(2);
    for (const [name, { spec }] of policies)
      expect({ name, peers: spec.ingress?.flatMap(({ from }) => from) }).toEqual({
        ...{ name, peers: expect.arrayContaining([metrics]) },
      });
  });
});
