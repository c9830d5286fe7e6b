import { DEMO_ACCOUNT, DEMO_CONTACT } from './demo-people.js';
import type { StackDescription } from './stack-file.js';

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

/** The one screen at the end of the start. */
export function readyScreen(stack: StackDescription, dataDir: string, seconds: number): string {
  const { gateway, demo, platform } = stack;
  const addresses = [
    ['REST API', `${gateway}/v1`],
    ['API description', `${gateway}/openapi.yaml`],
    ...(platform.control ? [['Simulator', `${platform.control}/docs`]] : [['Platform', platform.websocket]]),
    ['Demo API key', demo.apiKey],
    ['Logs and state', dataDir],
  ];
  return [
    '',
    `Ready after ${seconds.toFixed(1)} s.`,
    '',
    ...addresses.map(([title, value]) => `  ${title?.padEnd(16)} ${value}`),
    '',
    ...tryOut(stack).map((line) => (line ? `  ${line}` : line)),
    '',
    'Ctrl-C stops everything; state is kept. "npm start -- --fresh" forgets it.',
    '',
  ].join('\n');
}

/** Commands that work when pasted as they are, one after the other or all at once: they wait where it is early. */
function tryOut({ gateway, demo, platform }: StackDescription): string[] {
  const retry = '--retry 15 --retry-delay 1 --retry-all-errors';
  const connected = `curl -sf ${gateway}/v1/sessions/$ID -H "$KEY" | grep -q '"status":"CONNECTED"'`;
  const field = (name: string): string => `node -p 'JSON.parse(fs.readFileSync(0)).${name}'`;
  const setUp = [
    'Try it, in another terminal:',
    '',
    `KEY='Authorization: Bearer ${demo.apiKey}' JSON='Content-Type: application/json'`,
    '',
    '# 1. Create a session',
    `ID=$(curl -sf ${gateway}/v1/sessions -H "$KEY" -H "$JSON" -d '{"name":"demo"}' | ${field('id')}); echo $ID`,
    '',
  ];
  const scan = platform.control
    ? [
        "# 2. Scan its QR code with the simulator's phone",
        `QR=$(curl -sf ${retry} ${gateway}/v1/sessions/$ID/qr -H "$KEY" | ${field('qr')})`,
        `curl -sw '\\n' ${platform.control}/accounts/${DEMO_ACCOUNT.phone}/scan -H "$JSON" -d "{\\"qr\\":\\"$QR\\"}"`,
      ]
    : [
        '# 2. Get its QR code and scan it with your phone',
        `curl -sf ${retry} ${gateway}/v1/sessions/$ID/qr -H "$KEY" -H 'Accept: image/png' -o qr.png`,
      ];
  const to = platform.control ? DEMO_CONTACT.phone : '<number>';
  const send = [
    `until ${connected}; do sleep 1; done`,
    '',
    '# 3. Send a text',
    `curl -sw '\\n' ${gateway}/v1/messages -H "$KEY" -H "$JSON" \\`,
    `  -d '{"sessionId":"'$ID'","to":"+${to}","text":"Hello"}'`,
  ];
  const received = platform.control
    ? [
        '',
        '# What arrived',
        `sleep 1; curl -sw '\\n' ${platform.control}/contacts/${DEMO_CONTACT.phone}/messages`,
      ]
    : [];
  return [...setUp, ...scan, ...send, ...received];
}
