import { Agent, request } from 'undici';
import { type Measured, measured, quantile, round3 } from '../../figures.js';

/** The rate of arrivals, and for how long. */
export interface Arrivals {
  perSecond: number;
  seconds: number;
}

/** The figures of one window. Latency is from the moment at which a call should have begun: what waits behind a slow one counts. */
export interface OpenLoopWindow {
  /** Number of answers with 200 a second. */
  answered: number;
  p50Ms: number;
  p95Ms: number;
  p99Ms: number;
  mostMs: number;
}

/** The figures of several windows, one right after the other. */
export type OpenLoopFigures = Arrivals & Record<keyof OpenLoopWindow, Measured>;

interface Target {
  url: string;
  headers: Record<string, string>;
  body: () => object;
}

const CONNECTIONS = 256;

/** Makes calls at a fixed rate, also while earlier ones have no answer, as independent clients do. */
export async function openLoop(target: Target, { perSecond, seconds }: Arrivals): Promise<OpenLoopWindow> {
  const dispatcher = new Agent({ connections: CONNECTIONS });
  const times: number[] = [];
  const call = async (due: number): Promise<void> => {
    const { statusCode, body } = await request(target.url, {
      method: 'POST',
      headers: target.headers,
      body: JSON.stringify(target.body()),
      dispatcher,
    });
    const text = await body.text();
    if (statusCode !== 200) throw new Error(`${statusCode} ${text}`);
    times.push(performance.now() - due);
  };
  const startedAt = performance.now();
  const calls: Promise<void>[] = [];
  for (let made = 0; made < perSecond * seconds; made += 1) {
    const due = startedAt + (made * 1_000) / perSecond;
    const wait = due - performance.now();
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
    calls.push(call(due));
  }
  await Promise.all(calls);
  const took = (performance.now() - startedAt) / 1_000;
  await dispatcher.close();
  times.sort((a, b) => a - b);
  return {
    answered: round3(times.length / took),
    ...{ p50Ms: quantile(times, 0.5), p95Ms: quantile(times, 0.95), p99Ms: quantile(times, 0.99) },
    mostMs: quantile(times, 1),
  };
}

/** Runs `count` windows: their spread shows what the machine does beside. */
export async function openLoops(
  target: Target,
  arrivals: Arrivals,
  count: number,
  say: (window: OpenLoopWindow) => void,
): Promise<OpenLoopFigures> {
  const windows: OpenLoopWindow[] = [];
  while (windows.length < count) {
    const window = await openLoop(target, arrivals);
    say(window);
    windows.push(window);
  }
  const of = (figure: keyof OpenLoopWindow): Measured => measured(windows.map((window) => window[figure]));
  return {
    ...{ ...arrivals, answered: of('answered') },
    ...{ p50Ms: of('p50Ms'), p95Ms: of('p95Ms'), p99Ms: of('p99Ms'), mostMs: of('mostMs') },
  };
}
