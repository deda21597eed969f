import { existsSync } from 'node:fs'
import type { Chat } from '@panoptes/engine/chat'
import { knowledgeFolders } from '@panoptes/engine/knowledge'
import { type Config, type HealthCheck, type RuntimeHealth, runtimeNamed } from '@panoptes/schema'

const RUNTIMES = { id: 'runtimes', title: 'Who answers in chat' }
const WAIT_MS = 3_000

/** Whether those who are to answer can. */
export async function chatChecks(
  chat: Pick<Chat, 'runtimes'>,
  { runtimes, mcp_servers }: Pick<Config, 'runtimes' | 'mcp_servers'>,
): Promise<readonly HealthCheck[]> {
  const all = await chat.runtimes(AbortSignal.timeout(WAIT_MS))
  const ready = all.filter(isReady)
  const wanted = new Set([
    ...(runtimes.default === null ? [] : [runtimeNamed(runtimes.default)]),
    ...(runtimes.jarvis === null && Object.keys(mcp_servers).length === 0 ? [] : ['jarvis']),
    ...(runtimes.hermes === null ? [] : ['hermes']),
    ...Object.keys(runtimes.acp).map((name) => `acp:${name}`),
  ])
  const missing = [...wanted].filter((id) => !ready.some((one) => one.id === id))
  // It answers, but not with all that is configured.
  const without = ready.find(({ id }) => id === 'jarvis' && wanted.has(id))?.detail ?? ''
  if (missing.length === 0 && without !== '')
    return [
      {
        ...RUNTIMES,
        state: 'warning',
        detail: 'Jarvis answers, though not with everything that is configured',
        cause: without,
        next: 'Correct it under runtimes or mcp_servers in config.yaml.',
      },
    ]
  if (missing.length === 0) {
    const detail =
      ready.length === 0
        ? 'Nobody yet: no model, no Hermes and no agent of ACP was found'
        : ready.map(titled).join(', ')
    return [{ ...RUNTIMES, state: 'ok', detail, cause: null, next: null }]
  }
  const why = missing.map((id) => all.find((one) => one.id === id)?.detail ?? `There is no runtime ${id}.`)
  return [
    {
      ...RUNTIMES,
      state: 'warning',
      detail: `${missing.join(', ')} cannot answer now`,
      cause: why.join(' '),
      next: 'Correct it under runtimes in config.yaml, or start what is missing.',
    },
  ]
}

const NOTES = { id: 'notes', title: 'Your notes' }

/** Whether the folders that notes are looked up in are there; nothing where none is named. */
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
      detail: `Not there: ${away.join(', ')}`,
      cause: 'chat.knowledge in config.yaml names folders that are not there.',
      next: 'Correct chat.knowledge in config.yaml, or make the folder.',
    },
  ]
}

const isReady = ({ state }: RuntimeHealth): boolean => state === 'ready' || state === 'busy'

const titled = ({ title, models: [model] }: RuntimeHealth): string =>
  model === undefined ? title : `${title} with ${model}`
