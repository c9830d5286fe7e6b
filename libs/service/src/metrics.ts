/** A figure of this process, for whoever watches the installation. */
interface Metric {
  type: 'counter' | 'gauge';
  help: string;
  value: number;
}

const metrics = new Map<string, Metric>();

/** Makes a figure that only grows; its name ends in `_total`. */
export function counter(name: string, help: string): { add(): void } {
  const metric: Metric = { type: 'counter', help, value: 0 };
  metrics.set(name, metric);
  return { add: () => void metric.value++ };
}

/** Makes a figure that goes up and down. */
export function gauge(name: string, help: string): { set(value: number): void } {
  const metric: Metric = { type: 'gauge', help, value: 0 };
  metrics.set(name, metric);
  return { set: (value) => void (metric.value = value) };
}

/** Writes all figures in the text form of Prometheus. */
export function metricsText(): string {
  return [...metrics]
    .map(
      ([name, { type, help, value }]) => `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${name} ${value}\n`,
    )
    .join('');
}
