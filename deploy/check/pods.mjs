// Rules for every pod: what its image is, what it may use of the node, and what it may not do.

export const PINNED = /^[^@\s]+(:\d+\.\d+\.\d+[\w.-]*|@sha256:[0-9a-f]{64})$/;
const POD = ['spec', 'template', 'spec'];

/** Lists what is wrong with the pods of Deployments and Jobs. */
export function wrongPods(objects) {
  return objects
    .filter(({ object }) => object.spec?.template?.spec)
    .flatMap((one) => [
      ...wrongPod(one),
      ...one.object.spec.template.spec.containers.flatMap((container, index) =>
        wrongContainer(one, container, [...POD, 'containers', index]),
      ),
    ]);
}

/** Keeps the sentences whose condition holds. */
export const sentences = (...rules) =>
  rules.filter(([wrong]) => wrong).map(([, at, text]) => `${at}: ${text}`);

function wrongPod({ object, at }) {
  const { name } = object.metadata;
  const { securityContext: context = {}, automountServiceAccountToken: token } = object.spec.template.spec;
  const security = (field) => at(...POD, 'securityContext', field);
  return sentences(
    [context.runAsNonRoot !== true, security('runAsNonRoot'), `${name} may run as root.`],
    [!(context.runAsUser >= 10_000), security('runAsUser'), `${name} runs as a user below 10000.`],
    [
      context.seccompProfile?.type !== 'RuntimeDefault',
      security('seccompProfile'),
      `${name} has no seccomp profile RuntimeDefault.`,
    ],
    [
      token !== false,
      at(...POD, 'automountServiceAccountToken'),
      `${name} is given a token of the cluster, which it has no use for.`,
    ],
  );
}

function wrongContainer(
  { object, at },
  { image, resources = {}, securityContext = {}, volumeMounts = [] },
  path,
) {
  const { name } = object.metadata;
  const { requests = {}, limits = {} } = resources;
  const volumes = object.spec.template.spec.volumes ?? [];
  const security = (field) => at(...path, 'securityContext', field);
  return [
    ...sentences(
      [
        !PINNED.test(image),
        at(...path, 'image'),
        `the image ${image} of ${name} is not pinned to a version x.y.z or a digest.`,
      ],
      [!limits.memory, at(...path, 'resources'), `${name} has no limit of memory.`],
      [!requests.cpu, at(...path, 'resources'), `${name} reserves no processor time.`],
      [
        limits.memory && limits.memory !== requests.memory,
        at(...path, 'resources', 'requests'),
        `${name} reserves other memory than it may take.`,
      ],
      [
        securityContext.readOnlyRootFilesystem !== true,
        security('readOnlyRootFilesystem'),
        `${name} may write to its root file system.`,
      ],
      [
        securityContext.allowPrivilegeEscalation !== false,
        security('allowPrivilegeEscalation'),
        `${name} may gain rights.`,
      ],
      [
        !securityContext.capabilities?.drop?.includes('ALL'),
        security('capabilities'),
        `${name} does not drop all capabilities.`,
      ],
    ),
    ...volumeMounts.flatMap((mount, index) =>
      sentences([
        !volumes.some((volume) => volume.name === mount.name),
        at(...path, 'volumeMounts', index, 'name'),
        `${name} mounts a volume ${mount.name} that it does not have.`,
      ]),
    ),
  ];
}
