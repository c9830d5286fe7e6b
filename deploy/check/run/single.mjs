// Plays the part "One container" of docs/install.md, with podman in place of docker.
import { readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { blocksOf, runBlocks, wrongAnswers } from '../../../tools/shell-blocks.mjs';
import { ROOT } from '../../source/services.mjs';
import { pidOf, podman } from './engine.mjs';
import { kernelOf, wrongRights } from './kernel.mjs';

export const SINGLE_IMAGE = 'svc/gateway:0.1.0';
const CONTAINER = 'gateway';
/** A loop of the page waits for ever where nothing comes. */
const LIMIT_MS = 300_000;

const page = readFileSync(join(ROOT, 'docs/install.md'), 'utf8');
const [functions, build, ...rest] = blocksOf(page.slice(0, page.indexOf('\n## Compose\n')));
const options = () => ({
  cwd: ROOT,
  timeout: LIMIT_MS,
  env: { ...process.env, PATH: `${import.meta.dirname}${delimiter}${process.env.PATH}` },
});

/** Builds the image, which takes packages from the registry. */
export const buildSingle = (nodeImage, natsImage) => {
  const { env, ...others } = options();
  return runBlocks([build], { ...others, env: { ...env, NODE_IMAGE: nodeImage, NATS_IMAGE: natsImage } });
};

/** Runs all other commands. @throws Error where one fails, says something else than the page, or the container may more than it should. */
export async function playSingle() {
  const blocks = [functions, ...rest];
  const wrong = wrongAnswers(blocks, await runBlocks(blocks, options()));
  wrong.push(...wrongRights(CONTAINER, kernelOf(await pidOf(CONTAINER))));
  await podman('stop', CONTAINER);
  const code = await podman('inspect', '--format', '{{.State.ExitCode}}', CONTAINER);
  if (code !== '0') wrong.push(`${CONTAINER} ended with ${code} and not with 0.`);
  if (wrong.length > 0) throw new Error(wrong.join('\n'));
}
