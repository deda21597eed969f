import type { Message } from '@panoptes/schema'
import { failure, success } from '@panoptes/schema/result'
import { describe, expect, it } from 'vitest'
import { NOW, work } from './effect/effect.test-kit.ts'
import { call, message, result, session } from './make.test-kit.ts'
import { suggestTemplates } from './open.ts'
import type { Past, SessionWork } from './session-history.ts'

const turns = (count: number, agent_id: string, tool: string, text = 'fine'): readonly Message[] =>
  Array.from({ length: count }, (_, n) => [
    message('assistant', [call(`${agent_id}${n}`, tool)], { agent_id }),
    message('tool', [result(`${agent_id}${n}`, text)], { agent_id }),
  ]).flat()

const looks: string[] = []
const pastOf = (of: Readonly<Record<string, readonly Message[]>>): Past => ({
  opening: async ({ id }) => {
    looks.push(id)
    const messages = of[id]
    return messages ? success({ session: session({ id }), messages }) : failure('not_found', id)
  },
  works: async () => success([]),
})
const ask = (works: readonly SessionWork[], past: Past, limit = 10) =>
  suggestTemplates({ works, known: [], outcomes: new Map(), now: NOW, limit }, past)

describe('suggested sessions', () => {
  it('are described by what their template would contain', async () => {
    const tools = [
      { tool: 'Grep', calls: 40, errors: 0 },
      { tool: 'Bash', calls: 6, errors: 0 },
    ]
    const works = [
      work('of sub-agents', { tool_calls: 42, tools }),
      work('of its own', { tool_calls: 46, tools }),
      work('failed by its words'),
      work('gone'),
    ]
    const past = pastOf({
      'of sub-agents': [...turns(40, 'helper', 'Grep'), ...turns(2, 'main', 'Bash')],
      'of its own': [...turns(40, 'helper', 'Grep'), ...turns(6, 'main', 'Bash')],
      'failed by its words': turns(6, 'main', 'Bash', 'Traceback (most recent call last):'),
    })
    expect(await ask(works, past)).toMatchObject([
      { id: 'of its own', calls: 6, failed: 0, task_type: 'terminal' },
    ])
  })

  it('are examined only as far as needed', async () => {
    const works = Array.from({ length: 200 }, (_, n) => work(`w${n}`))
    looks.length = 0
    expect(await ask(works, pastOf({}), 3)).toEqual([])
    expect(looks).toHaveLength(23)
    looks.length = 0
    const good = Object.fromEntries(works.map(({ id }) => [id, turns(6, 'main', 'Bash')]))
    expect(await ask(works, pastOf(good), 3)).toHaveLength(3)
    expect(looks).toHaveLength(3)
  })
})
