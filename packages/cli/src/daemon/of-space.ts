import type { Paths } from '@panoptes/engine/home'
import type { Config } from '@panoptes/schema'

/** Where the things of a person are, beside their home. */
const OWN_FOLDERS: ReadonlySet<string> = new Set([
  'HERMES_HOME',
  'CLAUDE_CONFIG_DIR',
  'CODEX_HOME',
  'XDG_DATA_HOME',
  'LOCALAPPDATA',
  'KEI_EVENTS_FILE',
])

/** The environment of a space that is not the one of this computer: whoever looks for things of a person finds the folder of the space. */
export const environmentOfSpace = (
  env: NodeJS.ProcessEnv,
  { home }: Pick<Paths, 'home'>,
): NodeJS.ProcessEnv => ({
  ...Object.fromEntries(Object.entries(env).filter(([name]) => !OWN_FOLDERS.has(name))),
  HOME: home,
})

/**
 * What the person at this computer set for themselves is of their own space alone: their folders, their projects, and whatever acts as
 * the user of this computer, as agents, servers of tools and commands do.
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
