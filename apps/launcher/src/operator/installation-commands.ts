import { type Diagnosis, diagnosisText, examine, isWrong } from './doctor/doctor.js';
import type { OperatorCommand } from './operator-commands.js';

/** Commands about the installation itself, and not about its tenants. */
export const INSTALLATION_COMMANDS: readonly OperatorCommand[] = [
  {
    words: 'doctor',
    args: [],
    options: { json: 'flag' },
    usage: '[--json]',
    about:
      'says what a start in production would refuse, and what else is wrong: who does not answer, streams, durables, clocks, connections to the database, keys beside others. For people, unless --json is given; fails where something is wrong',
    ask: (_rpc, _values, nats) => examine(nats),
    show: (answer) => diagnosisText(answer as Diagnosis),
    isBad: (answer) => isWrong(answer as Diagnosis),
  },
  {
    words: 'database grant',
    args: [],
    options: { folder: 'required', service: 'optional', renew: 'flag' },
    usage: '--folder F [--service S] [--renew]',
    about:
      'gives each service, or one, a login to PostgreSQL that may use its schema alone, and writes its DATABASE_URL to F/<service>.env; where that file is there, its name and password hold, or another password with --renew. Needs DATABASE_URL (or DATABASE_URL_FILE) of the user that ran the migrations',
    run: async (values, place) => {
      // The client of PostgreSQL takes a part of a second to load, which no other command needs.
      const { grantDatabase } = await import('./database-grant.js');
      return grantDatabase(values, place);
    },
  },
  {
    words: 'secrets create',
    args: [],
    options: { folder: 'required' },
    usage: '--folder F',
    about:
      'invents the secrets of docker/compose.yaml: a file for each in F/<program>, named after its variable, the configuration of NATS with its users, and F/owner/logins for database grant. What is there stays',
    run: async ({ folder }) => {
      const { createSecrets } = await import('./compose-secrets.js');
      return createSecrets(String(folder));
    },
  },
];
