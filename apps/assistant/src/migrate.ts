import { runMigrations } from '@svc/service';
import { schema } from './migrations/schema.js';

await runMigrations(schema);
