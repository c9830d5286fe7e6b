import { migrate, type MigrateOptions } from '@svc/database';
import { ConfigError } from './config.js';

/**
 * Body of every app's `migrate.ts`: brings its schema up to date with `DATABASE_URL` (a user that may create roles) and
 * says what it did. Run once before a roll-out; harmless when repeated.
 */
export async function runMigrations(schema: Omit<MigrateOptions, 'url'>): Promise<void> {
  const url = process.env['DATABASE_URL'];
  try {
    if (!url) throw new ConfigError('DATABASE_URL is missing');
    const ran = await migrate({ ...schema, url });
    process.stdout.write(`${schema.schema}: ${ran.length > 0 ? ran.join(', ') : 'up to date'}\n`);
  } catch (error) {
    process.stderr.write(
      `${schema.schema} cannot be migrated. ${error instanceof Error ? error.message : String(error)}\n`,
    );
    process.exitCode = 1;
  }
}
