import type { StackDescription } from './state/stack-file.js';

/** Writes a line for the person at the terminal. */
export function say(line: string, to: NodeJS.WritableStream = process.stdout): void {
  to.write(`${line}\n`);
}

/** Runs a step of the start and says when it is done and how long it took. */
export async function step<T>(title: string, work: () => Promise<T>): Promise<T> {
  const startedAt = performance.now();
  const result = await work();
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  say(`  ✓ ${title.padEnd(26)} ${seconds.padStart(5)} s`);
  return result;
}

/** Writes the one screen at the end of the start. */
export function readyScreen(stack: StackDescription, dataDir: string, seconds: number): string {
  const { gateway, demo, platform } = stack;
  const addresses = [
    ['REST API', `${gateway}/v1`],
    ['API description', `${gateway}/openapi.yaml`],
    ...(platform.control ? [['Simulator', `${platform.control}/docs`]] : [['Platform', platform.websocket]]),
    ...(demo ? [['Live API key', demo.apiKey]] : []),
    ...(demo?.testKey ? [['Test API key', demo.testKey]] : []),
    ['Logs and state', dataDir],
  ];
  return [
    '',
    `Ready after ${seconds.toFixed(1)} s.`,
    '',
    ...addresses.map(([title, value]) => `  ${title?.padEnd(16)} ${value}`),
    '',
    ...(demo ? [...tryOut(gateway, demo).map((line) => (line ? `  ${line}` : line)), ''] : []),
    'Ctrl-C stops everything; state is kept. "npm start -- --fresh" forgets it.',
    '',
  ].join('\n');
}

/** Reads what it is sent. */
const DEMO_CONTACT = '+15550100002';

/** Writes commands that work when pasted as they are, one after the other or all together: they wait where it is early. */
function tryOut(gateway: string, demo: NonNullable<StackDescription['demo']>): string[] {
  const call = (path: string): string => `curl -s "$API/v1/${path}" -H "$KEY"`;
  const field = (name: string): string => `node -p 'JSON.parse(fs.readFileSync(0)).${name}'`;
  const retry = '--retry 15 --retry-delay 1 --retry-all-errors';
  const setUp = [
    'Try it, in another terminal:',
    '',
    `API=${gateway} KEY='Authorization: Bearer ${demo.testKey ?? demo.apiKey}' JSON='Content-Type: application/json'`,
    '',
    '# 1. Create a session',
    `ID=$(${call('sessions')} -H "$JSON" -d '{"name":"demo"}' | ${field('id')}); echo $ID`,
    '',
  ];
  const scan = demo.testKey
    ? [
        '# 2. Scan its QR code with a phone of the sandbox',
        `${call('sandbox/sessions/$ID/scan')} -X POST; echo`,
      ]
    : [
        '# 2. Get its QR code and scan it with your phone',
        `${call('sessions/$ID/qr')} -f ${retry} -H 'Accept: image/png' -o qr.png`,
        `until ${call('sessions/$ID')} | grep -q '"status":"CONNECTED"'; do sleep 1; done`,
      ];
  const to = demo.testKey ? DEMO_CONTACT : '<number>';
  const send = [
    '',
    '# 3. Send a text',
    `${call('messages')} -H "$JSON" -d '{"sessionId":"'$ID'","to":"${to}","text":"Hello"}'; echo`,
  ];
  const outcome = [
    '',
    '# What became of it',
    `until ${call('messages')} | grep -E '"status":"(SENT|DELIVERED|READ|FAILED)"'; do sleep 1; done`,
  ];
  return [...setUp, ...scan, ...send, ...outcome];
}
