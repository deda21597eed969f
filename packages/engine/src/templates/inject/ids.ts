import type { Given } from './given.ts'

/** Ids for calls, `template_0` and on, without those that the conversation has already. */
export function freeIds(messages: readonly Given[], count: number): readonly string[] {
  const taken = new Set(messages.flatMap(idsIn))
  const ids: string[] = []
  for (let number = 0; ids.length < count; number += 1) {
    const id = `template_${number}`
    if (!taken.has(id)) ids.push(id)
  }
  return ids
}

const idsIn = ({ tool_calls, tool_call_id, content }: Given): readonly unknown[] => [
  tool_call_id,
  ...partsOf(tool_calls).map(({ id }) => id),
  ...partsOf(content).flatMap(({ id, tool_use_id }) => [id, tool_use_id]),
]

const partsOf = (list: unknown): readonly Given[] =>
  Array.isArray(list) ? list.filter((part) => typeof part === 'object' && part !== null) : []
