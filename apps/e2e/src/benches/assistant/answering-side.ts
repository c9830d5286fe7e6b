import { measured, round3 } from '../../figures.js';
import { cpuMsOf } from '../../stack/process-figures.js';
import type { Stack } from '../../stack/stack.js';
import { type Moments, overheadOf, ownOverheadOf, type Spread, spreadOf, stagesOf } from './stages.js';
import type { TurnLoad } from './turn-load.js';

/** Number of texts a second while contacts write for the first time: a first exchange of keys is another load. */
const FIRST_PER_SECOND = 5;

interface Rates {
  perSecond: number;
  delayMs: number;
}

/** Side of the benchmark: what the whole stack takes for a turn. Its first round warms up. */
export class AnsweringSide {
  private readonly rounds: Moments[][] = [];
  private readonly rates: number[] = [];
  private readonly cpuMs: Record<string, number> = {};
  private missing = 0;
  private isWarm = false;

  constructor(
    private readonly stack: Stack,
    private readonly load: TurnLoad,
    private readonly at: Rates,
    private readonly say: (line: string) => void,
  ) {}

  /** Plays a round. @returns what turns took beside the delay of the model */
  async play(): Promise<Spread> {
    const { perSecond, delayMs } = this.at;
    const before = this.cpuOfServices();
    const { turns, missing } = await this.load.play(this.isWarm ? perSecond : FIRST_PER_SECOND);
    this.missing += missing;
    this.say(`  stages: ${JSON.stringify(stagesOf(turns, delayMs))}`);
    if (this.isWarm) this.count(turns, before);
    this.isWarm = true;
    return spreadOf(turns.map((turn) => overheadOf(turn, delayMs)));
  }

  /** Sums up the rounds that count. */
  figures() {
    const turns = this.rounds.flat();
    const own = this.rounds.map((round) => spreadOf(round.map(ownOverheadOf)));
    return {
      // The part of the overhead that is of the assistant and of those it asks.
      own: { p50Ms: measured(own.map((one) => one.p50Ms)), p95Ms: measured(own.map((one) => one.p95Ms)) },
      stages: stagesOf(turns, this.at.delayMs),
      turns: turns.length,
      missing: this.missing,
      answeredPerSecond: measured(this.rates),
      cpuMsEach: Object.fromEntries(
        Object.entries(this.cpuMs).map(([name, ms]) => [name, round3(ms / turns.length)]),
      ),
    };
  }

  private count(turns: Moments[], before: Record<string, number>): void {
    this.rounds.push(turns);
    const begun = Math.min(...turns.map(({ written }) => written));
    const ended = Math.max(...turns.map(({ arrived }) => arrived)) - this.at.delayMs;
    this.rates.push(round3((turns.length * 1_000) / (ended - begun)));
    for (const [name, ms] of Object.entries(this.cpuOfServices()))
      this.cpuMs[name] = (this.cpuMs[name] ?? 0) + ms - (before[name] ?? ms);
  }

  /** Reads the CPU time of each process; PostgreSQL works in children of its own, which are left out. */
  private cpuOfServices(): Record<string, number> {
    const processes = this.stack.file.processes.filter(({ name }) => name !== 'postgres');
    return Object.fromEntries(processes.map(({ name, pid }) => [name, cpuMsOf(pid)]));
  }
}
