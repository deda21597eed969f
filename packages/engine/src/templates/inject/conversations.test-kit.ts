import type { SessionTemplate } from '@panoptes/schema'
import fc from 'fast-check'
import type { ProviderMessage } from './as-text.ts'

/** Ids of the conversation, some of which a template would use too. */
const ids = (count: number) =>
  fc.shuffledSubarray(
    Array.from({ length: 24 }, (_, at) => (at % 2 === 0 ? `template_${at / 2}` : `call_${at}`)),
    { minLength: count, maxLength: count },
  )

const word = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }).map((text) => `w ${text}`)

const turn = fc.oneof(
  fc.record({ kind: fc.constant('user' as const), text: word }),
  fc.record({ kind: fc.constant('said' as const), text: word }),
  fc.record({
    kind: fc.constant('called' as const),
    calls: fc.integer({ min: 1, max: 3 }),
    text: fc.option(word),
  }),
)

/** Any conversation that OpenAI accepts. */
export const openaiConversation: fc.Arbitrary<readonly ProviderMessage[]> = fc
  .tuple(
    fc.array(fc.constantFrom('system', 'developer'), { maxLength: 3 }),
    fc.array(turn, { maxLength: 6 }),
    ids(18),
  )
  .map(([leading, turns, free]) => {
    const left = [...free]
    const spoken = turns.flatMap((each): readonly ProviderMessage[] => {
      if (each.kind !== 'called') {
        return [{ role: each.kind === 'user' ? 'user' : 'assistant', content: each.text }]
      }
      const own = left.splice(0, each.calls)
      const tool_calls = own.map((id) => ({ id, type: 'function', function: { name: 'x', arguments: '{}' } }))
      return [
        { role: 'assistant', content: each.text, tool_calls },
        ...own.toReversed().map((id) => ({ role: 'tool', tool_call_id: id, content: 'ok' })),
      ]
    })
    return [...leading.map((role) => ({ role, content: 'Be brief.' })), ...spoken]
  })

/** Any conversation that Anthropic accepts, with its system prompt. */
export const anthropicConversation: fc.Arbitrary<readonly ProviderMessage[]> = fc
  .tuple(
    fc.array(
      fc.oneof(
        word,
        word.map((text) => [{ type: 'text', text, cache_control: { type: 'ephemeral' } }]),
      ),
      {
        maxLength: 2,
      },
    ),
    fc.array(fc.record({ calls: fc.integer({ min: 0, max: 3 }), text: word }), { maxLength: 5 }),
    ids(15),
    fc.boolean(),
  )
  .map(([system, turns, free, asBlocks]) => {
    const left = [...free]
    const text = (said: string) => (asBlocks ? [{ type: 'text', text: said }] : said)
    const spoken: ProviderMessage[] = turns.length === 0 ? [] : [{ role: 'user', content: text('go') }]
    for (const each of turns) {
      const own = left.splice(0, each.calls)
      const calls = own.map((id) => ({ type: 'tool_use', id, name: 'x', input: {} }))
      const results = own.map((id) => ({ type: 'tool_result', tool_use_id: id, content: 'ok' }))
      spoken.push({ role: 'assistant', content: calls.length > 0 ? calls : text(each.text) })
      spoken.push({ role: 'user', content: results.length > 0 ? results : text(each.text) })
    }
    return [...system.map((content) => ({ role: 'system', content })), ...spoken]
  })

const anything = fc.string({ unit: 'binary', maxLength: 90 })

/** Any template that a file may contain. */
export const anyTemplate: fc.Arbitrary<SessionTemplate> = fc.record({
  name: anything,
  task_type: fc.constantFrom('code', 'file', 'research', 'terminal', 'mixed'),
  examples: fc.array(
    fc.record({
      tool_name: anything,
      arguments: fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 }),
      result: anything,
      success: fc.boolean(),
    }),
    { maxLength: 5 },
  ),
  description: fc.constant(''),
  created_at: fc.constant(1),
  usage_count: fc.constant(0),
  source_session_id: fc.constant(null),
})

export function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value)
    for (const each of Object.values(value)) frozen(each)
  }
  return value
}
