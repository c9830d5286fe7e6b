// Jest `globalTeardown`: stops what `start-stack.mjs` started.
export default async function stopStack() {
  await globalThis.stackOfRun?.stop();
}
