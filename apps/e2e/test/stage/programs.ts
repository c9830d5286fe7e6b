import { type ChildProcess, spawn, type SpawnOptions } from 'node:child_process';

/**
 * Starts a program and waits until what it says contains this.
 * @throws Error with all that it said when it ends instead, or says nothing of the kind in time.
 */
export async function startProgram(
  [command, ...args]: [string, ...string[]],
  { readyAt, limitMs, ...options }: SpawnOptions & { readyAt: RegExp; limitMs: number },
): Promise<ChildProcess> {
  const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  try {
    await new Promise<void>((resolve, reject) => {
      for (const stream of [child.stdout, child.stderr])
        stream?.on('data', (chunk: Buffer) => {
          output += chunk.toString();
          if (readyAt.test(output)) resolve();
        });
      child.once('error', reject);
      child.once('close', (code, signal) => reject(new Error(`it ended with ${code ?? signal}`)));
      setTimeout(() => reject(new Error(`it took longer than ${limitMs} ms`)), limitMs).unref();
    });
  } catch (error) {
    child.kill('SIGKILL');
    throw new Error(`${command} ${args.join(' ')} did not say ${readyAt}: ${String(error)}\n${output}`);
  }
  return child;
}
