// `npm run check:deploy -- --run`: builds the images by their recipe, looks into them, and plays an overlay with them. Only root can do that; what
// is not played: Services, network policies, budgets of disruption, scalers, routes, and Helm.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { imageOf, ROOT } from '../../source/services.mjs';
import { baseImage, natsImage } from './base.mjs';
import { openEngine, podman, removeAll, run } from './engine.mjs';
import { APPS, buildImages, wrongContents } from './images.mjs';
import { buildSingle, SINGLE_IMAGE } from './single.mjs';
import { step } from './step.mjs';

/** Network without a way out: what the pods say to each other stays on this machine, and meets no other program of it. */
const ALONE = ['--net', 'sh', '-c', 'ip link set lo up && exec "$0" "$@"'];

/** Builds and plays. @returns sentences on what does not hold. @throws Error at the first step that fails. */
export async function problemsOfRun() {
  openEngine();
  await removeAll();
  // Commands of the operator and both servers are of this checkout.
  await step('launcher', () => run(process.execPath, ['apps/launcher/build.mjs'], { cwd: ROOT }));
  const image = await step('base image', baseImage);
  await step('images', () => buildImages(image));
  await step('single image', async () => buildSingle(image, await natsImage()));
  await podman('image', 'prune', '--force');
  const images = [...APPS.map(imageOf), SINGLE_IMAGE];
  const contents = await step('contents of images', () => Promise.all(images.map(wrongContents)));
  const playing = spawn('unshare', [...ALONE, process.execPath, join(import.meta.dirname, 'play.mjs')], {
    stdio: 'inherit',
  });
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => playing.kill(signal));
  const [code] = await once(playing, 'close');
  return [
    ...contents.flat(),
    ...(code === 0 ? [] : ['deploy/check/run/play.mjs:1: the images could not be played: see above.']),
  ];
}
