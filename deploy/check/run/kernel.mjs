// Says what the kernel thinks of a process in a container: its user, its rights, and its root.
import { readFileSync } from 'node:fs';

const LOWEST_UID = 10_000;
const CAPABILITIES = ['CapInh', 'CapPrm', 'CapEff', 'CapBnd', 'CapAmb'];

/** Reads what the kernel says of a process. */
export const kernelOf = (pid) => ({
  status: readFileSync(`/proc/${pid}/status`, 'utf8'),
  mounts: readFileSync(`/proc/${pid}/mountinfo`, 'utf8'),
});

/** Lists what a process may do and should not. */
export function wrongRights(name, { status, mounts }) {
  const field = (key) => new RegExp(`^${key}:\\s+(.*)$`, 'm').exec(status)[1].split(/\s+/);
  const ids = [...new Set([...field('Uid'), ...field('Gid')].map(Number))];
  const capabilities = CAPABILITIES.filter((key) => BigInt(`0x${field(key)[0]}`) !== 0n);
  return [
    [ids.some((id) => id < LOWEST_UID), `runs as ${ids.join(', ')}, not from ${LOWEST_UID} on`],
    [capabilities.length > 0, `has capabilities (${capabilities.join(', ')})`],
    [field('NoNewPrivs')[0] !== '1', 'may gain rights by a program that it runs'],
    [!isRootReadOnly(mounts), 'may write to its root'],
  ].flatMap(([isWrong, sentence]) => (isWrong ? [`${name} ${sentence}.`] : []));
}

function isRootReadOnly(mounts) {
  const [, , , , , options] = mounts
    .split('\n')
    .map((line) => line.split(' '))
    .findLast(([, , , , at]) => at === '/');
  return options.split(',').includes('ro');
}
