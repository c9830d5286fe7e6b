/** The outcome of a drill or benchmark, which it prints as one line of JSON. */
export interface Outcome {
  /** Figures of the run; repeated measurements as `{median, spread}`. */
  figures: Record<string, unknown>;
  holds: boolean;
  /** Reason for which there are no figures. */
  error?: string;
}

/** Direction in which a figure is better. */
export type Better = 'higher' | 'lower';

/** A drill or a benchmark. The stacks it starts are stopped for it. */
export interface NamedRun {
  summary: string;
  /** Bound of the figures, in words. */
  bound: string;
  run(options: RunOptions): Promise<Outcome>;
}

/** A benchmark can be compared between two commits. */
export interface Benchmark extends NamedRun {
  /** Paths of the figures that are compared, and which way each is better. */
  judged: Record<string, Better>;
}

/** The options of a run. */
export interface RunOptions {
  /** Decides random choices; printed, so that a run can be repeated. */
  seed: number;
  /** Duration of a run whose effects come with time, in minutes. */
  minutes: number;
  /** Names an earlier commit, for a run of two versions. */
  base?: string | undefined;
  /** Prints the progress, for people. */
  say(line: string): void;
}
