import { isLoopback } from '@panoptes/engine/home'
import type { Config, RuntimeId } from '@panoptes/schema'
import { detectSource } from './runtimes/acp/session-source.ts'

/**
 * Whether a runtime's usage is counted with the conversation. Agents that record their sessions on
 * this computer are counted there, so that nothing counts twice.
 */
export function isCountedHere(id: RuntimeId, { hermes, acp }: Config['runtimes']): boolean {
  if (id === 'jarvis') return true
  if (id === 'hermes') return hermes?.url !== undefined && !isHere(hermes.url)
  const name = id.slice('acp:'.length)
  return detectSource(null, { command: acp[name]?.command ?? [name] }) === null
}

const isHere = (url: string): boolean => isLoopback(new URL(url).hostname.replace(/^\[|\]$/g, ''))
