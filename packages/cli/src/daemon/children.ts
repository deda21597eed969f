import type { Config } from '@panoptes/schema'

const SECRETS = ['PANOPTES_LEDGER', 'PANOPTES_BUS', 'PANOPTES_FORWARD_TOKEN', 'PGPASSWORD', 'PGPASSFILE']

/** The environment of a hub as the programs that it starts get it: without what opens the database, the bus and the sign-in. */
export function childrenEnv(env: NodeJS.ProcessEnv, { team }: Pick<Config, 'team'>): NodeJS.ProcessEnv {
  const secrets = new Set([...SECRETS, team.sign_in?.client_secret_env])
  return Object.fromEntries(Object.entries(env).filter(([name]) => !secrets.has(name)))
}
