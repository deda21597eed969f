import { isPlainObject } from '@panoptes/schema/plain-object'
import type { ProviderMessage } from './as-text.ts'

const NAME = /^[A-Za-z0-9_-]{1,64}$/

/** Returns the problems for which OpenAI's chat completions would reject a conversation. */
export function openaiProblems(messages: readonly ProviderMessage[]): readonly string[] {
  const problems: string[] = []
  const seen = new Set<unknown>()
  let owed = new Set<unknown>()
  for (const [at, message] of messages.entries()) {
    const { role, content, tool_calls, tool_call_id } = message
    const say = (what: string) => problems.push(`${at} (${String(role)}): ${what}`)
    if (!['system', 'developer', 'user', 'assistant', 'tool'].includes(String(role))) say('unknown role')
    if (role === 'tool') {
      if (!owed.delete(tool_call_id)) say(`answers no call of the message before: ${String(tool_call_id)}`)
      if (typeof content !== 'string') say('content is no text')
      continue
    }
    if (owed.size > 0) say(`calls are not answered: ${[...owed].join()}`)
    owed = new Set()
    if (tool_calls !== undefined && (role !== 'assistant' || !isFilled(tool_calls))) say('odd tool_calls')
    if ((content === null || content === undefined) && !isFilled(tool_calls)) say('content is null')
    for (const { id, type, function: called } of isFilled(tool_calls) ? tool_calls : []) {
      const { name, arguments: given } = (called ?? {}) as ProviderMessage
      if (seen.has(id)) say(`the id ${String(id)} comes twice`)
      seen.add(id)
      owed.add(id)
      if (type !== 'function' || !NAME.test(String(name))) say(`odd function ${String(name)}`)
      if (!isObjectText(given)) say('arguments are no JSON object')
    }
  }
  return owed.size > 0 ? [...problems, 'the last calls are not answered'] : problems
}

/** Returns the problems for which Anthropic's Messages API would reject a conversation. */
export function anthropicProblems(messages: readonly ProviderMessage[]): readonly string[] {
  const problems: string[] = []
  const seen = new Set<unknown>()
  let owed = new Set<unknown>()
  for (const [at, { role, content }] of messages.entries()) {
    const say = (what: string) => problems.push(`${at} (${String(role)}): ${what}`)
    if (role !== (at % 2 === 0 ? 'user' : 'assistant')) say('roles do not alternate, beginning with user')
    const blocks =
      typeof content === 'string'
        ? [{ type: 'text', text: content }]
        : (content as readonly ProviderMessage[])
    if (!isFilled(blocks)) say('content is empty')
    const results = blocks.filter(({ type }) => type === 'tool_result')
    if (blocks.slice(0, results.length).some(({ type }) => type !== 'tool_result'))
      say('results are not first')
    for (const { tool_use_id } of results) {
      if (role !== 'user' || !owed.delete(tool_use_id)) say(`answers no call: ${String(tool_use_id)}`)
    }
    if (owed.size > 0) say(`calls are not answered: ${[...owed].join()}`)
    owed = new Set()
    for (const { type, id, name, input, text } of blocks) {
      if (type === 'text' && (typeof text !== 'string' || text.trim() === '')) say('an empty text')
      if (type !== 'tool_use') continue
      if (role !== 'assistant') say('a call of somebody else')
      if (seen.has(id) || !/^[a-zA-Z0-9_-]+$/.test(String(id)))
        say(`the id ${String(id)} is odd or comes twice`)
      seen.add(id)
      owed.add(id)
      if (!NAME.test(String(name))) say(`odd name ${String(name)}`)
      if (!isPlainObject(input)) say('input is no object')
    }
  }
  return owed.size > 0 ? [...problems, 'the last calls are not answered'] : problems
}

const isFilled = (list: unknown): list is readonly ProviderMessage[] => Array.isArray(list) && list.length > 0

function isObjectText(text: unknown): boolean {
  if (typeof text !== 'string') return false
  const value: unknown = JSON.parse(text)
  return isPlainObject(value)
}
