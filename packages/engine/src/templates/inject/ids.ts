import type { ProviderMessage } from './as-text.ts'

/** Returns ids for calls, starting with `template_0`, that the conversation does not use. */
export function createIds(messages: readonly ProviderMessage[], count: number): readonly string[] {
  const taken = new Set(messages.flatMap(readIds))
  const ids: string[] = []
  for (let number = 0; ids.length < count; number += 1) {
    const id = `template_${number}`
    if (!taken.has(id)) ids.push(id)
  }
  return ids
}

const readIds = ({ tool_calls, tool_call_id, content }: ProviderMessage): readonly unknown[] => [
  tool_call_id,
  ...toParts(tool_calls).map(({ id }) => id),
  ...toParts(content).flatMap(({ id, tool_use_id }) => [id, tool_use_id]),
]

const toParts = (list: unknown): readonly ProviderMessage[] =>
  Array.isArray(list) ? list.filter((part) => typeof part === 'object' && part !== null) : []
