import pg from 'pg';
import { schemaRole } from '../schema-connection.js';
import { scramVerifier } from './scram.js';

/** Login of one service: the user as which it connects, and which may become the role of its schema alone. */
export interface Login {
  schema: string;
  name: string;
  password: string;
  /** The password was invented just now: a login that is there has another one, which somebody may be using. */
  mustBeNew?: boolean;
}

/** Error of a login that cannot be granted: a sentence for whoever operates the database. */
export class LoginRefused extends Error {
  override readonly name = 'LoginRefused';
}

/** Parameters of an address that say who logs in: those of the owner are not for a service. */
const OF_THE_OWNER = ['user', 'password', 'sslcert', 'sslkey', 'sslpassword'];

/** Lock number of migrations as well: both change roles. */
const ROLES_LOCK = 0x5c_67;

/** Names the login of a service where nobody has named another. */
export function loginName(schema: string): string {
  return `svc_${schema}_login`;
}

/** Makes the address of the database for a login, of the one for its owner. */
export function loginUrl(ownerUrl: string, { name, password }: Pick<Login, 'name' | 'password'>): string {
  const url = new URL(ownerUrl);
  for (const parameter of OF_THE_OWNER) url.searchParams.delete(parameter);
  if (url.host === '') {
    // An address of a socket has no place for them but here.
    url.searchParams.set('user', name);
    url.searchParams.set('password', password);
  } else {
    url.username = encodeURIComponent(name);
    url.password = encodeURIComponent(password);
  }
  return url.href;
}

/** Reads the login out of an address of the database; what is missing is empty. */
export function loginOf(address: string): Pick<Login, 'name' | 'password'> {
  const url = new URL(address);
  return {
    name: url.searchParams.get('user') ?? decodeURIComponent(url.username),
    password: url.searchParams.get('password') ?? decodeURIComponent(url.password),
  };
}

/**
 * Makes these logins, or gives those that are there these passwords: all of them or, where one is refused, none. Each may become the role of its
 * schema and has no right but that. The roles are there since the migrations.
 * @param ownerUrl of a user that may create roles and has the roles of the schemas to give
 * @param keep keeps the passwords, once no login is refused any more; where that fails, no login is made
 * @throws LoginRefused where a login is somebody else's, or a role is missing
 */
export async function grantLogins(
  ownerUrl: string,
  logins: readonly Login[],
  keep?: () => void,
): Promise<void> {
  const client = new pg.Client({ connectionString: ownerUrl, connectionTimeoutMillis: 10_000 });
  client.on('error', () => undefined); // the statement under way says it
  await client.connect();
  try {
    await client.query('BEGIN');
    await client.query('SELECT pg_advisory_xact_lock($1)', [ROLES_LOCK]);
    for (const login of logins) await grantLogin(client, login);
    keep?.();
    await client.query('COMMIT');
  } finally {
    await client.end();
  }
}

async function grantLogin(client: pg.Client, { schema, name, password, mustBeNew }: Login): Promise<void> {
  const facts = await factsOf(client, schema, name);
  const refusal = refusalOf(facts, schema, name, mustBeNew ?? false);
  if (refusal) throw new LoginRefused(refusal);
  const login = pg.escapeIdentifier(name);
  const verb = facts.exists ? 'ALTER' : 'CREATE';
  const secret = pg.escapeLiteral(scramVerifier(password));
  await client.query(`${verb} ROLE ${login} LOGIN NOINHERIT PASSWORD ${secret}`);
  if (!facts.exists) await client.query(`GRANT ${pg.escapeIdentifier(schemaRole(schema))} TO ${login}`);
  // Some take the right to connect from everybody, as a database has it when it is made.
  if (!(await mayConnect(client, name)))
    await client.query(`GRANT CONNECT ON DATABASE ${pg.escapeIdentifier(facts.database)} TO ${login}`);
}

interface Facts {
  database: string;
  hasRole: boolean;
  exists: boolean;
  isOwner: boolean;
  /** Words for what it may do and a login of a service may not. */
  powers: string[];
  /** Roles that the login is a member of. */
  memberOf: string[];
  ownsThings: boolean;
}

const FACTS_SQL = `SELECT current_database() AS database,
    EXISTS (SELECT FROM pg_roles WHERE rolname = $2) AS "hasRole",
    login.oid IS NOT NULL AS exists,
    $1 IN (current_user, session_user) AS "isOwner",
    array_remove(ARRAY[
      CASE WHEN rolsuper THEN 'do everything' END,
      CASE WHEN rolcreaterole THEN 'create roles' END,
      CASE WHEN rolcreatedb THEN 'create databases' END,
      CASE WHEN rolreplication THEN 'replicate' END,
      CASE WHEN rolbypassrls THEN 'bypass row security' END], NULL) AS powers,
    ARRAY(SELECT roleid::regrole::text FROM pg_auth_members WHERE member = login.oid ORDER BY 1) AS "memberOf",
    EXISTS (SELECT FROM pg_shdepend
      WHERE refclassid = 'pg_authid'::regclass AND refobjid = login.oid AND deptype = 'o') AS "ownsThings"
  FROM (SELECT 1) one LEFT JOIN pg_roles login ON rolname = $1`;

async function factsOf(client: pg.Client, schema: string, name: string): Promise<Facts> {
  const { rows } = await client.query<Facts>(FACTS_SQL, [name, schemaRole(schema)]);
  return rows[0] as Facts;
}

function refusalOf(facts: Facts, schema: string, name: string, mustBeNew: boolean): string | undefined {
  const role = schemaRole(schema);
  const others = facts.memberOf.filter((member) => member !== role);
  if (!facts.hasRole) return `The role ${role} is missing: run the migrations of ${schema} first.`;
  if (!facts.exists) return undefined;
  if (facts.isOwner) return `${name} is the owner itself, who may do more than a service may.`;
  if (facts.powers.length > 0) return `${name} exists and may ${facts.powers.join(', ')}.`;
  if (others.length > 0) return `${name} exists and may become ${others.join(', ')} as well.`;
  if (facts.ownsThings) return `${name} exists and owns something.`;
  if (facts.memberOf.length === 0)
    return `${name} exists and is somebody else's: it may not become ${role}. If it is yours, say GRANT ${role} TO ${name}.`;
  return mustBeNew
    ? `${name} exists, with a password that is not known here: bring that password along, or renew it.`
    : undefined;
}

async function mayConnect(client: pg.Client, name: string): Promise<boolean> {
  const sql = `SELECT has_database_privilege($1, current_database(), 'CONNECT') AS "may"`;
  const { rows } = await client.query<{ may: boolean }>(sql, [name]);
  return rows[0]?.may ?? false;
}
