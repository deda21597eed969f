import { homedir, hostname } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import {
  type AskModel,
  acpAgents,
  type Chat,
  type ContextParts,
  chatTeller,
  configuredRuntime,
  contextBuilder,
  createAcpAdapter,
  createHermes,
  createJarvis,
  createShortlister,
  endUnended,
  isCountedHere,
  knowledgeBrain,
  type LookUp,
  memoryFiles,
  openChat,
  pastTeller,
  planOf,
  type Recall,
  recalledMemory,
  refinedPlan,
  templateFrom,
  userMemory,
} from '@panoptes/engine/chat'
import type { Knowledge } from '@panoptes/engine/knowledge'
import type { Ledger } from '@panoptes/engine/ledger'
import { createPrices } from '@panoptes/engine/models'
import { skillRoots } from '@panoptes/engine/skill-folders'
import { hermesHome, projectsFolder } from '@panoptes/engine/sources'
import type { Config, NewEvent } from '@panoptes/schema'
import { failure } from '@panoptes/schema/result'
import { ofRooms, type Rooms } from '../own-data/of-rooms.ts'
import { ownDataOf } from '../own-data/own-data.ts'
import { askModelOf } from './ask-model.ts'
import type { OpenedMoa } from './open-moa.ts'

export interface ChatHome {
  readonly env: NodeJS.ProcessEnv
  readonly config: Config
  /**
   * A hub: others than the person of this computer talk here, so what agents remember of that person is not told, and no agent
   * answers but those that the config names.
   */
  readonly isHub?: boolean | undefined
  /** Hears of what is wrong in the config. */
  readonly warn?: ((text: string) => void) | undefined
}

export interface ChatRooms extends Omit<Rooms, 'ledger'> {
  readonly ledger: Ledger
  readonly models: OpenedMoa
  readonly knowledge: Pick<Knowledge, 'lookUp'> | undefined
}

const DAY_MS = 86_400_000
/** A model that refines a plan is waited for; otherwise nothing is. */
const REFINING_MS = 16_000

/** Conversations of a home, over what its other rooms know. */
export async function chatOf(
  { env, config, isHub = false, warn }: ChatHome,
  rooms: ChatRooms,
  append: (events: readonly NewEvent[]) => unknown,
): Promise<Chat> {
  const { ledger, models } = rooms
  const lookUp: LookUp =
    rooms.knowledge?.lookUp ?? (async () => failure('closed', 'Your notes cannot be asked now.'))
  const live = { host: hostname(), append }
  // Runs that go on in another process are none of those.
  await endUnended(ledger.conversations, { others: isHub, onEnded: pastTeller(live) })
  const folder = folderOf(config, env)
  const shortlister = createShortlister({
    // Folders that people of a team name are of their own computers.
    roots: (folder) => skillRoots(env, isHub ? [] : [folder], config.skills.folders),
    sums: () => ledger.accounts.skills({ since: Date.now() - config.skills.window_days * DAY_MS }),
  })
  const jarvis = createJarvis({
    config: config.runtimes.jarvis,
    providers: models.providers,
    moa: models.moa,
    prices: createPrices(config.prices),
    mcp: config.mcp_servers,
    folder,
    data: {
      ...ownDataOf(ofRooms(rooms)),
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
  const defaultRuntime = configuredRuntime(config.runtimes)
  if (defaultRuntime !== null && !adapters.some(({ id }) => id === defaultRuntime))
    warn?.(`runtimes.default: there is no ${defaultRuntime}, only ${adapters.map(({ id }) => id).join(', ')}`)
  const chat: Chat = openChat({
    conversations: ledger.conversations,
    adapters,
    defaultRuntime,
    build: contextBuilder({
      sources: sourcesOf({ env, isHub }, rooms, lookUp),
      skills: shortlister.shortlist,
      ...planning(config, ask),
      template: rooms.templates
        ? templateFrom(rooms.templates)
        : async () => failure('closed', 'Templates cannot be asked now.'),
    }),
    folder,
    budgetTokens: config.chat.budget_tokens,
    approvalSeconds: config.chat.approval_seconds,
    ask,
    hasTemplate: async (name) => (await rooms.templates?.show(name))?.ok !== false,
    onRun: chatTeller(live),
    isCountedHere: (id) => isCountedHere(id, config.runtimes),
  })
  return chat
}

/** What is remembered. What cannot be asked is unavailable, which is not the same as nothing. */
function sourcesOf(
  { env, isHub }: Pick<ChatHome, 'env' | 'isHub'>,
  rooms: ChatRooms,
  lookUp: LookUp,
): ContextParts['sources'] {
  const { ledger, sessions } = rooms
  const recall: Recall =
    sessions?.recall ?? (async () => failure('closed', 'Past sessions cannot be asked now.'))
  const elsewhere = memoryFiles({
    hermes: isHub ? null : hermesHome(env),
    claude: isHub ? null : dirname(projectsFolder(env)),
  })
  return [
    userMemory({ facts: ledger.conversations.facts, elsewhere }),
    recalledMemory(recall),
    knowledgeBrain(lookUp),
  ]
}

function planning({ chat }: Config, ask: AskModel | null): Pick<ContextParts, 'plan' | 'planMs'> {
  if (!chat.refine_plan || ask === null) return { plan: async (message) => planOf(message) }
  return {
    plan: (message, signal) => refinedPlan(message, planOf(message), ask, signal),
    planMs: REFINING_MS,
  }
}

/** Where agents work that are given no other folder. */
function folderOf({ chat }: Config, env: NodeJS.ProcessEnv): string {
  const home = env.HOME || homedir()
  if (chat.folder === null) return home
  return chat.folder === '~' || chat.folder.startsWith('~/')
    ? join(home, chat.folder.slice(1))
    : resolve(home, chat.folder)
}
