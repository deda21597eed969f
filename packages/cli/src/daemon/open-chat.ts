import { homedir, hostname } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import {
  type AskModel,
  acpAgents,
  type Chat,
  type ContextParts,
  createAcpAdapter,
  createChatReporter,
  createContextBuilder,
  createHermes,
  createJarvis,
  createMemoryReader,
  createPastRunReporter,
  createShortlister,
  createTemplateLoader,
  getConfiguredRuntime,
  isCountedHere,
  knowledgeBrain,
  type LookUp,
  openChat,
  planByRules,
  type Recall,
  recalledMemory,
  recoverRuns,
  refinePlan,
  userMemory,
} from '@panoptes/engine/chat'
import type { Knowledge } from '@panoptes/engine/knowledge'
import { createPrices } from '@panoptes/engine/models'
import { listSkillRoots } from '@panoptes/engine/skill-folders'
import { hermesHome, projectsFolder } from '@panoptes/engine/sources'
import type { EventStore } from '@panoptes/engine/store'
import type { Config, NewEvent } from '@panoptes/schema'
import { failure } from '@panoptes/schema/result'
import { createLocalDataSource, createToolData, type DataModules } from '../tool-data/tool-data.ts'
import { askModelOf } from './ask-model.ts'
import type { OpenedMoa } from './open-moa.ts'

export interface ChatHome {
  readonly env: NodeJS.ProcessEnv
  readonly config: Config
  /**
   * Whether this is a hub. Other people chat here, so the memory of the local user stays private and only
   * configured agents answer.
   */
  readonly isHub?: boolean | undefined
  /** Receives warnings about the config. */
  readonly warn?: ((text: string) => void) | undefined
}

export interface ChatRooms extends Omit<DataModules, 'ledger'> {
  readonly store: EventStore
  readonly models: OpenedMoa
  readonly knowledge: Pick<Knowledge, 'lookUp'> | undefined
}

const DAY_MS = 86_400_000
/** A model that refines a plan gets this much time. No other step waits. */
const REFINING_MS = 16_000

/** Opens the conversations of a home on top of its other modules. */
export async function chatOf(
  { env, config, isHub = false, warn }: ChatHome,
  rooms: ChatRooms,
  append: (events: readonly NewEvent[]) => unknown,
): Promise<Chat> {
  const { store, models } = rooms
  const lookUp: LookUp =
    rooms.knowledge?.lookUp ?? (async () => failure('closed', 'Your notes are unavailable right now.'))
  const live = { host: hostname(), append }
  // On a hub, runs that continue in another process must not be ended here.
  await recoverRuns(store.conversations, { others: isHub, onEnded: createPastRunReporter(live) })
  const folder = folderOf(config, env)
  const shortlister = createShortlister({
    // Folders that users of a team name are on their own computers, so the hub does not search them for
    // skills.
    roots: (folder) => listSkillRoots(env, isHub ? [] : [folder], config.skills.folders),
    sums: () => store.accounts.skills({ since: Date.now() - config.skills.window_days * DAY_MS }),
  })
  const jarvis = createJarvis({
    config: config.runtimes.jarvis,
    providers: models.providers,
    moa: models.moa,
    prices: createPrices(config.prices),
    mcp: config.mcp_servers,
    folder,
    data: {
      ...createToolData(createLocalDataSource(rooms)),
      loadSkill: ({ name }, { folder }) => shortlister.body(name, folder),
      searchKnowledge: ({ text, limit }, { signal }) => lookUp(text, { limit, signal }),
      remember: ({ text }, { owner }) => chat.remember(text, owner),
    },
  })
  const ask = askModelOf(config.runtimes.jarvis, models.providers, models.moa)
  const adapters = [
    jarvis,
    ...(isHub && config.runtimes.hermes === null
      ? []
      : [createHermes({ config: config.runtimes.hermes, env })]),
    ...acpAgents({ configured: config.runtimes.acp, env, find: !isHub }).map(createAcpAdapter),
  ]
  const defaultRuntime = getConfiguredRuntime(config.runtimes)
  if (defaultRuntime !== null && !adapters.some(({ id }) => id === defaultRuntime))
    warn?.(
      `runtimes.default: unknown runtime ${defaultRuntime}; available: ${adapters.map(({ id }) => id).join(', ')}`,
    )
  const chat: Chat = openChat({
    conversations: store.conversations,
    adapters,
    defaultRuntime,
    build: createContextBuilder({
      sources: sourcesOf({ env, isHub }, rooms, lookUp),
      skills: shortlister.shortlist,
      ...planning(config, ask),
      template: rooms.templates
        ? createTemplateLoader(rooms.templates)
        : async () => failure('closed', 'Templates are unavailable right now.'),
    }),
    folder,
    budgetTokens: config.chat.budget_tokens,
    approvalSeconds: config.chat.approval_seconds,
    ask,
    hasTemplate: async (name) => (await rooms.templates?.show(name))?.ok !== false,
    onRun: createChatReporter(live),
    isCountedHere: (id) => isCountedHere(id, config.runtimes),
  })
  return chat
}

/** Lists the sources of memory. A source that fails is unavailable, which is different from empty. */
function sourcesOf(
  { env, isHub }: Pick<ChatHome, 'env' | 'isHub'>,
  rooms: ChatRooms,
  lookUp: LookUp,
): ContextParts['sources'] {
  const { store, sessions } = rooms
  const recall: Recall =
    sessions?.recall ?? (async () => failure('closed', 'Past sessions are unavailable right now.'))
  const elsewhere = createMemoryReader({
    hermes: isHub ? null : hermesHome(env),
    claude: isHub ? null : dirname(projectsFolder(env)),
  })
  return [
    userMemory({ facts: store.conversations.facts, loadAgentMemory: elsewhere }),
    recalledMemory(recall),
    knowledgeBrain(lookUp),
  ]
}

function planning({ chat }: Config, ask: AskModel | null): Pick<ContextParts, 'plan' | 'planMs'> {
  if (!chat.refine_plan || ask === null) return { plan: async (message) => planByRules(message) }
  return {
    plan: (message, signal) => refinePlan(message, planByRules(message), ask, signal),
    planMs: REFINING_MS,
  }
}

/** The default working folder of agents. */
function folderOf({ chat }: Config, env: NodeJS.ProcessEnv): string {
  const home = env.HOME || homedir()
  if (chat.folder === null) return home
  return chat.folder === '~' || chat.folder.startsWith('~/')
    ? join(home, chat.folder.slice(1))
    : resolve(home, chat.folder)
}
