import { resolve } from 'node:path'
import type { Context } from '../../context.ts'

/** What says where agents keep their files. A service starts elsewhere, so a path from here is made a whole one. */
export const AGENT_PLACES = [
  'HERMES_HOME',
  'CLAUDE_CONFIG_DIR',
  'CODEX_HOME',
  'XDG_DATA_HOME',
  'KEI_EVENTS_FILE',
] as const
const AS_THEY_ARE = ['OLLAMA_HOST'] as const

/** What the service has to be told of the shell that it is installed from: nothing that could be a secret. */
export function serviceEnvironment({ env, paths }: Context): Readonly<Record<string, string>> {
  const told: Record<string, string> = { PANOPTES_HOME: paths.home }
  for (const name of AGENT_PLACES) if (env[name]) told[name] = resolve(env[name])
  for (const name of AS_THEY_ARE) if (env[name]) told[name] = env[name]
  return told
}
