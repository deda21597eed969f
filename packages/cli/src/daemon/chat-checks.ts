import { existsSync } from 'node:fs'
import type { Chat } from '@panoptes/engine/chat'
import { knowledgeFolders } from '@panoptes/engine/knowledge'
import {
  type Config,
  type HealthCheck,
  type RuntimeHealth,
  runtimeStateWords,
  toRuntimeId,
} from '@panoptes/schema'

const RUNTIMES = { id: 'runtimes', title: 'Chat runtimes' }
const WAIT_MS = 3_000

/** Checks whether the configured runtimes can answer. */
export async function chatChecks(
  chat: Pick<Chat, 'runtimes'>,
  { runtimes, mcp_servers }: Pick<Config, 'runtimes' | 'mcp_servers'>,
): Promise<readonly HealthCheck[]> {
  const all = await chat.runtimes(AbortSignal.timeout(WAIT_MS))
  const ready = all.filter(isReady)
  const wanted = new Set([
    ...(runtimes.default === null ? [] : [toRuntimeId(runtimes.default)]),
    ...(runtimes.jarvis === null && Object.keys(mcp_servers).length === 0 ? [] : ['jarvis']),
    ...(runtimes.hermes === null ? [] : ['hermes']),
    ...Object.keys(runtimes.acp).map((name) => `acp:${name}`),
  ])
  const missing = [...wanted].filter((id) => !ready.some((one) => one.id === id))
  // Jarvis answers, but without some of the configured servers.
  const without = ready.find(({ id }) => id === 'jarvis' && wanted.has(id))?.detail ?? ''
  if (missing.length === 0 && without !== '')
    return [
      {
        ...RUNTIMES,
        state: 'warning',
        detail: 'Jarvis answers, but some of its configuration does not work',
        cause: without,
        next: 'Fix it under runtimes or mcp_servers in config.yaml.',
      },
    ]
  if (missing.length === 0) {
    const detail =
      ready.length === 0
        ? 'No runtime found: no model, no Hermes and no ACP agent'
        : ready.map(titled).join(', ')
    return [{ ...RUNTIMES, state: 'ok', detail, cause: null, next: null }]
  }
  const why = missing.map((id) => all.find((one) => one.id === id)?.detail ?? `Unknown runtime: ${id}.`)
  return [
    {
      ...RUNTIMES,
      state: 'warning',
      detail: `${missing.join(', ')} cannot answer now`,
      cause: why.join(' '),
      next: 'Fix it under runtimes in config.yaml, or start the missing runtime.',
    },
  ]
}

const NOTES = { id: 'notes', title: 'Your notes' }

/** Checks that the configured folders of notes exist. It returns nothing if none is configured. */
export function notesCheck({ chat }: Pick<Config, 'chat'>, home: string): readonly HealthCheck[] {
  const folders = knowledgeFolders(chat.knowledge, home)
  if (folders.length === 0) return []
  const away = folders.filter((folder) => !existsSync(folder))
  if (away.length === 0)
    return [{ ...NOTES, state: 'ok', detail: folders.join(', '), cause: null, next: null }]
  return [
    {
      ...NOTES,
      state: 'warning',
      detail: `Missing: ${away.join(', ')}`,
      cause: 'chat.knowledge in config.yaml contains folders that do not exist.',
      next: 'Fix chat.knowledge in config.yaml, or create the folder.',
    },
  ]
}

/** An untried runtime may be able to answer, so it counts as ready. */
const isReady = ({ state }: RuntimeHealth): boolean =>
  state === 'ready' || state === 'busy' || state === 'untried'

const titled = ({ title, state, models: [model] }: RuntimeHealth): string =>
  `${model === undefined ? title : `${title} with ${model}`}${state === 'untried' ? ` (${runtimeStateWords.untried})` : ''}`
