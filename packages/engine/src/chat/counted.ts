import { isLoopback } from '@panoptes/engine/home'
import type { Config, RuntimeId } from '@panoptes/schema'
import { sourceOf } from './runtimes/acp/source-of.ts'

/** Whether what a runtime takes is counted with the conversation. What agents write down on this computer is read there, and counted once. */
export function isCountedHere(id: RuntimeId, { hermes, acp }: Config['runtimes']): boolean {
  if (id === 'jarvis') return true
  if (id === 'hermes') return hermes?.url !== undefined && !isHere(hermes.url)
  const name = id.slice('acp:'.length)
  return sourceOf(null, { command: acp[name]?.command ?? [name] }) === null
}

const isHere = (url: string): boolean => isLoopback(new URL(url).hostname.replace(/^\[|\]$/g, ''))
