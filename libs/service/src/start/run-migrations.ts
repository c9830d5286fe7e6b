import { migrate, type MigrateOptions } from '@svc/database';
import { Matches } from 'class-validator';
import { configReader, Env } from '../config/config.js';

/** Environment of a migration. */
class MigrationConfig {
  @Env('DATABASE_URL', {
    description: 'PostgreSQL, as a user that may create schemas and roles.',
    secret: true,
  })
  @Matches(/^postgres(ql)?:\/\//, { message: 'databaseUrl must start with postgres://' })
  databaseUrl: string;
}

/**
 * Runs the migrations of an app, for its `migrate.ts`: brings its schema up to date with `DATABASE_URL` (a user that may create roles) and
 * says what it did. Run once before a roll-out; harmless when repeated.
 */
export async function runMigrations(schema: Omit<MigrateOptions, 'url'>): Promise<void> {
  try {
    const { databaseUrl } = configReader(MigrationConfig)();
    const ran = await migrate({ ...schema, url: databaseUrl });
    process.stdout.write(`${schema.schema}: ${ran.length > 0 ? ran.join(', ') : 'up to date'}\n`);
  } catch (error) {
    process.stderr.write(
      `${schema.schema} cannot be migrated. ${error instanceof Error ? error.message : String(error)}\n`,
    );
    process.exitCode = 1;
  }
}
