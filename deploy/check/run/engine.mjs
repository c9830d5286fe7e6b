// Runs podman with storage of their own, so that no other container of this machine is touched.
import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '../../source/services.mjs';
import { HOSTS } from './addresses.mjs';

/** Folder of all that the engine keeps: images stay there between runs. */
export const HOME = join(ROOT, '.data/check-deploy');

/** Programs that a run needs, by the packages of Debian that have them. */
const PACKAGES = {
  podman: 'podman',
  runc: 'runc',
  catatonit: 'catatonit',
  debootstrap: 'debootstrap',
  unshare: 'util-linux',
  ip: 'iproute2',
};

// The limits are lower than those that podman sets by itself: it may not raise them inside of another container.
const SETTINGS = {
  CONTAINERS_CONF: `[containers]
default_ulimits = ["nofile=4096:4096", "nproc=4096:4096"]
log_driver = "k8s-file"
base_hosts_file = "${HOME}/hosts"
[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "file"
tmp_dir = "${HOME}/tmp"
`,
  CONTAINERS_STORAGE_CONF: `[storage]
driver = "overlay"
graphroot = "${HOME}/storage"
runroot = "${HOME}/run"
`,
  CONTAINERS_REGISTRIES_CONF: 'unqualified-search-registries = []\n',
};

/** Runs a program to its end. @returns what it prints. @throws Error with what it says of its failure. */
export const run = async (command, args, options) => {
  const { stdout } = await promisify(execFile)(command, args, { maxBuffer: 1e8, ...options });
  return stdout.trim();
};

/** Writes the settings of the engine. @throws Error that names the packages which are missing. */
export function openEngine() {
  if (process.getuid() !== 0) throw new Error('Only root can run containers here.');
  const missing = Object.keys(PACKAGES).filter((program) => !isInstalled(program));
  if (missing.length > 0)
    throw new Error(
      `${missing.join(', ')} is missing: apt-get install ${missing.map((program) => PACKAGES[program]).join(' ')}`,
    );
  mkdirSync(HOME, { recursive: true });
  writeFileSync(join(HOME, 'hosts'), HOSTS);
  for (const [name, text] of Object.entries(SETTINGS)) {
    process.env[name] = join(HOME, `${name.toLowerCase().replaceAll('_', '-')}.toml`);
    writeFileSync(process.env[name], text);
  }
}

function isInstalled(program) {
  try {
    return execFileSync('sh', ['-c', `command -v ${program}`]).length > 0;
  } catch {
    return false;
  }
}

export const podman = (...args) => run('podman', args, { cwd: ROOT });
export const hasImage = (name) =>
  podman('image', 'exists', name).then(
    () => true,
    () => false,
  );
/** Removes all that a run has started, and what a build or a run has left that was killed. */
export async function removeAll() {
  await podman('pod', 'rm', '--all', '--force');
  const left = await podman('ps', '--all', '--external', '--quiet');
  if (left) await podman('rm', '--force', ...left.split('\n'));
  await podman('volume', 'rm', '--all', '--force');
  await podman('secret', 'rm', '--all');
}

/** Finds the process of a container, as this machine numbers it. */
export const pidOf = (container) => podman('inspect', '--format', '{{.State.Pid}}', container);
