export type LogLevel = 'info' | 'warn' | 'error';

/** One JSON object per line. Keys, message texts and decrypted content have no place here. */
export type Log = (level: LogLevel, message: string, fields?: Record<string, unknown>) => void;

export const jsonLog: Log = (level, message, fields = {}) => {
  const line = { time: new Date().toISOString(), level, app: 'simulator', message, ...fields };
  process.stdout.write(`${JSON.stringify(line)}\n`);
};
