import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { responsesRequest, toChatRequest } from './request.ts'
import { parseTools } from './tools.ts'

const asked = (said: object) => {
  const request = responsesRequest.parse({ model: 'm', input: 'x', ...said })
  return toChatRequest(request, parseTools(request))
}

const TYPES = ['message', 'function_call', 'function_call_output', 'custom_tool_call', 'reasoning', 'x', null]
const item = fc.record(
  {
    type: fc.constantFrom(...TYPES),
    role: fc.constantFrom('user', 'assistant', 'developer', 7),
    content: fc.oneof(
      fc.string(),
      fc.jsonValue(),
      fc.array(fc.record({ type: fc.string(), text: fc.string() })),
    ),
    output: fc.jsonValue(),
    call_id: fc.jsonValue(),
    arguments: fc.jsonValue(),
    name: fc.jsonValue(),
    namespace: fc.jsonValue(),
  },
  { requiredKeys: [] },
)
const tool = fc.record({
  type: fc.constantFrom('function', 'custom', 'namespace', 'web_search', 3),
  name: fc.jsonValue(),
  tools: fc.jsonValue(),
  format: fc.jsonValue(),
})

describe('toChatRequest', () => {
  it('produces a valid chat completion for any request', () => {
    fc.assert(
      fc.property(
        fc.array(item, { minLength: 1 }),
        fc.array(tool),
        fc.jsonValue(),
        (input, tools, anything) => {
          const more = { reasoning: anything, text: anything, tool_choice: anything }
          for (const { role, content } of asked({ input, tools, ...more }).messages)
            if (role === 'tool' || role === 'system') expect(content).toBeTypeOf('string')
        },
      ),
    )
  })

  it('keeps its prefix when the conversation grows', () => {
    const said = fc.array(
      fc.constantFrom(
        { role: 'user', content: 'a question' },
        { type: 'function_call_output', call_id: 'c', output: 'done' },
        { type: 'reasoning', summary: [] },
      ),
      { minLength: 1, maxLength: 12 },
    )
    fc.assert(
      fc.property(said, said, (before, after) => {
        const { messages } = asked({ input: before })
        const more = asked({ input: [...before, ...after] }).messages
        expect(more.slice(0, messages.length)).toEqual(messages)
      }),
    )
  })

  it.each([
    ['auto', 'auto'],
    [
      { type: 'custom', name: 'patch' },
      { type: 'function', function: { name: 'patch' } },
    ],
    [
      {
        type: 'allowed_tools',
        mode: 'required',
        tools: [{ type: 'custom', name: 'patch' }, { type: 'web_search' }],
      },
      {
        type: 'allowed_tools',
        allowed_tools: { mode: 'required', tools: [{ type: 'function', function: { name: 'patch' } }] },
      },
    ],
    [{ type: 'web_search' }, undefined],
  ])('translates the tool choice %o', (tool_choice, chosen) => {
    expect(asked({ tools: [{ type: 'custom', name: 'patch' }], tool_choice }).tool_choice).toEqual(chosen)
  })

  it('omits tool parameters if no tool is left', () => {
    const said = { tools: [{ type: 'web_search' }], tool_choice: 'auto', parallel_tool_calls: true }
    expect(Object.keys(asked(said)).sort()).toEqual(['messages', 'model'])
  })

  it('keeps tool names within the allowed length, and distinct', () => {
    const name = (end: string) => `${'n'.repeat(60)}${end}`
    const tools = [
      {
        type: 'namespace',
        name: 'g',
        tools: ['aaaa', 'bbbb'].map((end) => ({ type: 'function', name: name(end) })),
      },
    ]
    const request = responsesRequest.parse({ model: 'm', input: 'x', tools })
    const made = parseTools(request)
    const names = (made.parameters.tools as { function: { name: string } }[]).map((one) => one.function.name)
    expect(new Set(names).size).toBe(2)
    expect(names.every((one) => one.length <= 64)).toBe(true)
    expect(names.map((one) => made.findTool(one).name)).toEqual([name('aaaa'), name('bbbb')])
  })
})
