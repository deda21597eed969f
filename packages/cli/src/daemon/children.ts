import type { Config } from '@panoptes/schema'

const SECRETS = ['PANOPTES_LEDGER', 'PANOPTES_BUS', 'PANOPTES_FORWARD_TOKEN', 'PGPASSWORD', 'PGPASSFILE']

/**
 * Builds the environment for programs that a hub starts, without the secrets of the database, the bus and the
 * sign-in.
 */
export function childrenEnv(env: NodeJS.ProcessEnv, { team }: Pick<Config, 'team'>): NodeJS.ProcessEnv {
  const secrets = new Set([...SECRETS, team.sign_in?.client_secret_env])
  return Object.fromEntries(Object.entries(env).filter(([name]) => !secrets.has(name)))
}
