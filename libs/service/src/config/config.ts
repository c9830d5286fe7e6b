import { readFileSync } from 'node:fs';
import 'reflect-metadata';
import { sentencesOf } from '@svc/contracts';
import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';

/** Options of a variable, for its page of the configuration. */
export interface EnvOptions {
  description: string;
  example?: string;
  /** The value is never shown; it may also come as `<NAME>_FILE`, the path of a file that holds it. */
  secret?: boolean;
  /** The value is no secret, and may come as `<NAME>_FILE` all the same: it is long. */
  file?: boolean;
}

/** A variable as the generated page lists it. */
export interface EnvVariable extends EnvOptions {
  name: string;
  property: string;
}

const VARIABLES = Symbol('env variables');

/** Marks a property of a config class as read from an environment variable. A default is the property's initial value. */
export function Env(name: string, options: EnvOptions): PropertyDecorator {
  return (target, property) => {
    const variables = envVariables(target.constructor);
    Reflect.defineMetadata(
      VARIABLES,
      [...variables, { name, property: String(property), ...options }],
      target.constructor,
    );
  };
}

/** Lists the variables of a config class, those of the class it extends first. */
export function envVariables(type: object): EnvVariable[] {
  return (Reflect.getMetadata(VARIABLES, type) as EnvVariable[] | undefined) ?? [];
}

/** Error at boot; the message lists every variable that is missing or wrong. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/**
 * Reads a config class from the environment, checks it by its class-validator rules and freezes it. Empty strings count
 * as absent. Numbers and booleans are converted by the property's `@Type`.
 * @throws ConfigError naming all variables that are wrong, never their values.
 */
export function loadConfig<T extends object>(type: new () => T, env: NodeJS.ProcessEnv): Readonly<T> {
  const variables = envVariables(type);
  const problems: string[] = [];
  const plain: Record<string, string> = {};
  for (const variable of variables) {
    const value = readVariable(variable, env, problems);
    if (value !== undefined) plain[variable.property] = value;
  }
  const config = plainToInstance(type, plain, { exposeDefaultValues: true });
  for (const { property, name, words } of wrongIn(config, variables))
    problems.push(name in env || plain[property] !== undefined ? words : `${name} is missing`);
  if (problems.length > 0) throw new ConfigError(`Wrong configuration:\n  ${problems.join('\n  ')}`);
  return Object.freeze(config);
}

/** Lists the properties that break their rules, with the sentences for it, which name the variables. */
function wrongIn(
  config: object,
  variables: EnvVariable[],
): { property: string; name: string; words: string }[] {
  return validateSync(config).map((error) => {
    const { property } = error;
    const name = variables.find((variable) => variable.property === property)?.name ?? property;
    const words = sentencesOf(error).map((rule) => rule.replace(property, name));
    return { property, name, words: words.join('; ') };
  });
}

/** Says with which sentences a start would refuse this configuration if these properties were different. */
export function refusalsWith<T extends object>(config: T, changes: Partial<T>): string[] {
  const changed = Object.assign(Object.create(Object.getPrototypeOf(config) as object) as T, config, changes);
  return wrongIn(changed, envVariables(config.constructor)).map(({ words }) => words);
}

/** Makes the reader of an app's configuration from the process's environment; it reads once, so every caller sees the same object. */
export function configReader<T extends object>(type: new () => T): () => Readonly<T> {
  let config: Readonly<T> | undefined;
  return () => (config ??= loadConfig(type, process.env));
}

function readVariable(variable: EnvVariable, env: NodeJS.ProcessEnv, problems: string[]): string | undefined {
  const direct = env[variable.name];
  if (direct !== undefined && direct !== '') return direct;
  const file = variable.secret || variable.file ? env[`${variable.name}_FILE`] : undefined;
  if (!file) return undefined;
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    problems.push(`${variable.name}_FILE names a file that cannot be read`);
    return undefined;
  }
}
