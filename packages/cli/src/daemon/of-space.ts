import type { Paths } from '@panoptes/engine/home'
import type { Config } from '@panoptes/schema'

/** Variables with the locations of a user's files outside the home. */
const OWN_FOLDERS: ReadonlySet<string> = new Set([
  'HERMES_HOME',
  'CLAUDE_CONFIG_DIR',
  'CODEX_HOME',
  'XDG_DATA_HOME',
  'LOCALAPPDATA',
  'KEI_EVENTS_FILE',
])

/**
 * Builds the environment of a space other than the hub's own. Lookups of user files then lead to the folder
 * of the space.
 */
export const environmentOfSpace = (
  env: NodeJS.ProcessEnv,
  { home }: Pick<Paths, 'home'>,
): NodeJS.ProcessEnv => ({
  ...Object.fromEntries(Object.entries(env).filter(([name]) => !OWN_FOLDERS.has(name))),
  HOME: home,
})

/**
 * Removes settings that belong to the user of the hub's computer: folders, projects, and everything that acts
 * as this user, such as agents, tool servers and commands.
 */
export const configOfSpace = (config: Config): Config => ({
  ...config,
  layout: 'panoptes',
  live: { ...config.live, notify_command: null },
  skills: { ...config.skills, folders: [] },
  budgets: {
    ...config.budgets,
    limits: config.budgets.limits.filter(({ project }) => project === undefined),
    command: null,
  },
  moa: { ...config.moa, trace_dir: null, from_hermes: false },
  chat: { ...config.chat, knowledge: [], folder: null },
  runtimes: {
    default: config.runtimes.default === 'jarvis' ? 'jarvis' : null,
    jarvis: config.runtimes.jarvis,
    hermes: null,
    acp: {},
  },
  mcp_servers: {},
})
