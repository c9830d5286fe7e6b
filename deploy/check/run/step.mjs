/** Does a part of the run, and says how long it took. */
export async function step(title, work) {
  const began = Date.now();
  const result = await work();
  process.stdout.write(`  ✓ ${title.padEnd(22)} ${((Date.now() - began) / 1000).toFixed(1).padStart(6)} s\n`);
  return result;
}
