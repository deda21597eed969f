import { homedir, hostname } from 'node:os'
import { join, resolve } from 'node:path'
import {
  type Chat,
  chatTeller,
  contextBuilder,
  createJarvis,
  createShortlister,
  endUnended,
  openChat,
  planOf,
} from '@panoptes/engine/chat'
import type { Paths } from '@panoptes/engine/home'
import type { Ledger } from '@panoptes/engine/ledger'
import { createPrices } from '@panoptes/engine/models'
import { skillRoots } from '@panoptes/engine/skill-folders'
import type { Config, NewEvent } from '@panoptes/schema'
import type { OpenedMoa } from './open-moa.ts'

export interface ChatHome {
  readonly paths: Paths
  readonly env: NodeJS.ProcessEnv
  readonly config: Config
}

const DAY_MS = 86_400_000

/** Conversations of a home, over what its other rooms know. */
export async function chatOf(
  { env, config }: ChatHome,
  ledger: Ledger,
  { providers, moa }: OpenedMoa,
  append: (events: readonly NewEvent[]) => unknown,
): Promise<Chat> {
  await endUnended(ledger.conversations)
  const prices = createPrices(config.prices)
  const jarvis = createJarvis({ config: config.runtimes.jarvis, providers, moa, prices })
  const shortlister = createShortlister({
    roots: (folder) => skillRoots(env, [folder], config.skills.folders),
    sums: () => ledger.accounts.skills({ since: Date.now() - config.skills.window_days * DAY_MS }),
  })
  return openChat({
    conversations: ledger.conversations,
    adapters: [jarvis],
    defaultRuntime: config.runtimes.default,
    build: contextBuilder({
      sources: [],
      skills: shortlister.shortlist,
      plan: async (message) => planOf(message),
      template: async () => {
        throw new Error('there is no template')
      },
    }),
    folder: folderOf(config, env),
    budgetTokens: config.chat.budget_tokens,
    approvalSeconds: config.chat.approval_seconds,
    onRun: chatTeller({ host: hostname(), append }),
  })
}

function folderOf({ chat }: Config, env: NodeJS.ProcessEnv): string {
  const home = env.HOME || homedir()
  if (chat.folder === null) return home
  return chat.folder === '~' || chat.folder.startsWith('~/')
    ? join(home, chat.folder.slice(1))
    : resolve(home, chat.folder)
}
