// Makes the image that all others stand on, where none can be pulled: Debian by its own tool, and Node.js with npm as the image of that name has them.
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ROOT } from '../../source/services.mjs';
import { hasImage, podman, run } from './engine.mjs';

const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** Returns the image to build on: the one that NODE_IMAGE names, or one made here in place of the recipe's. */
export async function baseImage() {
  if (process.env.NODE_IMAGE) return process.env.NODE_IMAGE;
  const recipe = readFileSync(join(ROOT, 'docker/Dockerfile'), 'utf8');
  const [, name, version] = /^ARG NODE_IMAGE=(node:([\d.]+)-\S+)$/m.exec(recipe);
  const image = `localhost/${name}`;
  if (await hasImage(image)) return image;
  const folder = mkdtempSync(join(tmpdir(), 'svc-base-'));
  try {
    const root = join(folder, 'root');
    // Mounts that it makes below the folder are gone with it, however it ends.
    const make = ['--mount', 'debootstrap', '--variant=minbase', '--include=libatomic1'];
    await run('unshare', [...make, 'bookworm', root, ...(await mirror())]);
    await addNode(root, version);
    await run('tar', [
      '-C',
      root,
      '--exclude=./dev/*',
      '--exclude=./var/cache/apt',
      '-cf',
      join(folder, 'root.tar'),
      '.',
    ]);
    await podman('import', '--change', `ENV PATH=${PATH}`, join(folder, 'root.tar'), image);
  } finally {
    rmSync(folder, { recursive: true });
  }
  return image;
}

/** Makes the image that the single container takes its nats-server from: this machine's, or the one of its distribution. */
export async function natsImage() {
  if (process.env.NATS_IMAGE) return process.env.NATS_IMAGE;
  const recipe = readFileSync(join(ROOT, 'docker/single.Dockerfile'), 'utf8');
  const image = `localhost/${/^ARG NATS_IMAGE=(\S+)$/m.exec(recipe)[1]}`;
  if (await hasImage(image)) return image;
  const { findNatsServer } = await import('../../../libs/local-servers/dist/index.js');
  const folder = mkdtempSync(join(tmpdir(), 'svc-nats-'));
  try {
    cpSync(await findNatsServer(), join(folder, 'nats-server'), { dereference: true });
    await run('tar', ['-C', folder, '-cf', `${folder}.tar`, 'nats-server']);
    await podman('import', `${folder}.tar`, image);
  } finally {
    rmSync(folder, { recursive: true });
    rmSync(`${folder}.tar`, { force: true });
  }
  return image;
}

/** Finds the server of packages that this machine uses; debootstrap has one of its own where there is none. */
async function mirror() {
  const targets = await run('apt-get', [
    ...['indextargets', '--format', '$(REPO_URI)'],
    ...['Created-By: Packages', 'Codename: bookworm', 'Component: main'],
  ]).catch(() => '');
  return targets.split('\n').filter(Boolean).slice(0, 1);
}

async function addNode(root, version) {
  const packages = join(root, 'tmp');
  const npm = await run('npm', ['--version']);
  await run(
    'npm',
    ['pack', `node-linux-${process.arch}@${version}`, `npm@${npm}`, '--pack-destination', packages],
    {
      cwd: packages,
    },
  );
  const unpack = async (name, to) => {
    const file = join(
      packages,
      readdirSync(packages).find((one) => one.startsWith(name)),
    );
    mkdirSync(to, { recursive: true });
    await run('tar', ['-xzf', file, '--strip-components=1', '-C', to]);
    rmSync(file);
  };
  const local = join(root, 'usr/local');
  await unpack('node-linux', join(packages, 'node'));
  cpSync(join(packages, 'node/bin/node'), join(local, 'bin/node'));
  chmodSync(join(local, 'bin/node'), 0o755);
  rmSync(join(packages, 'node'), { recursive: true });
  await unpack('npm', join(local, 'lib/node_modules/npm'));
  for (const name of ['npm', 'npx'])
    symlinkSync(`../lib/node_modules/npm/bin/${name}-cli.js`, join(local, 'bin', name));
  await copyNpmSettings(root);
}

/** Tells the npm of the image what this machine's is told: its registry, and the authority of that. */
async function copyNpmSettings(root) {
  const settings = ['registry', 'cafile'].map(async (name) => [
    name,
    await run('npm', ['config', 'get', name]),
  ]);
  const set = (await Promise.all(settings)).filter(([, value]) => !['undefined', 'null', ''].includes(value));
  mkdirSync(join(root, 'usr/local/etc'), { recursive: true });
  writeFileSync(join(root, 'usr/local/etc/npmrc'), set.map((pair) => `${pair.join('=')}\n`).join(''));
  const { cafile } = Object.fromEntries(set);
  if (!cafile) return;
  mkdirSync(dirname(join(root, cafile)), { recursive: true });
  cpSync(cafile, join(root, cafile), { dereference: true });
}
