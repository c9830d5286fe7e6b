import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from '@jest/globals';
import { isGenuine } from '../examples/verify/verify.js';
import { verifyWebhook } from '../src/index.js';

/** A delivery as it arrives, and what a receiver that knows these secrets makes of it at this time. */
interface Vector {
  name: string;
  genuine: boolean;
  body: string;
  header: string;
  secrets: string[];
  now: number;
}

const SAMPLES = fileURLToPath(new URL('../examples/verify', import.meta.url));
const VECTORS = JSON.parse(readFileSync(join(SAMPLES, 'vectors.json'), 'utf8')) as Vector[];
const folder = mkdtempSync(join(tmpdir(), 'svc-verify-'));
afterAll(() => rmSync(folder, { recursive: true }));

function outputOf(command: string, args: string[], more: { env?: NodeJS.ProcessEnv; input?: string } = {}) {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    cwd: SAMPLES,
    encoding: 'utf8',
    ...more,
  });
  if (error) throw error;
  return { status, stdout, stderr };
}

/** Has a program of another language go through all vectors, and reads what it says of each. */
function askAll(command: string, ...args: string[]): boolean[] {
  const { stdout, stderr } = outputOf(command, args, { input: JSON.stringify(VECTORS) });
  expect(stderr).toBe('');
  return JSON.parse(stdout) as boolean[];
}

const PYTHON = `
import json, sys
sys.dont_write_bytecode = True
from verify import is_genuine
ask = lambda v: is_genuine(v["body"].encode(), v["header"], v["secrets"], v["now"])
print(json.dumps([ask(v) for v in json.loads(sys.stdin.buffer.read())]))`;
const PHP = `
require 'verify.php';
$ask = fn ($v) => is_genuine($v['body'], $v['header'], $v['secrets'], $v['now']);
echo json_encode(array_map($ask, json_decode(stream_get_contents(STDIN), true)));`;
const RUBY = `
require './verify'; require 'json'
ask = ->(v) { genuine?(v['body'], v['header'], v['secrets'], v['now']) }
puts JSON.generate(JSON.parse(STDIN.read.force_encoding('UTF-8')).map(&ask))`;

function askShell({ body, header, secrets, now }: Vector): boolean {
  const file = join(folder, 'body');
  writeFileSync(file, body);
  const env = { ...process.env, NOW_MS: String(now) };
  return outputOf('./verify.sh', [file, header, ...secrets], { env }).status === 0;
}

function askSdk({ body, header, secrets, now }: Vector): boolean {
  try {
    return verifyWebhook(body, { 'x-svc-signature': header }, secrets, { now }).ok;
  } catch {
    return false; // without a secret it throws
  }
}

describe.each<[string, () => boolean[]]>([
  ['TypeScript', () => VECTORS.map((v) => isGenuine(Buffer.from(v.body), v.header, v.secrets, v.now))],
  ['Python', () => askAll('python3', '-c', PYTHON)],
  ['PHP', () => askAll('php', '-r', PHP)],
  ['Ruby', () => askAll('ruby', '-e', RUBY)],
  ['shell with openssl', () => VECTORS.map(askShell)],
  ['the SDK', () => VECTORS.map(askSdk)],
])('the verification in %s', (_language, ask) => {
  test('takes what the gateway signed within five minutes with one of the secrets, and nothing else', () => {
    const said = ask();
    expect(VECTORS.map(({ name }, i) => [name, said[i]])).toEqual(
      VECTORS.map(({ name, genuine }) => [name, genuine]),
    );
  });
});
