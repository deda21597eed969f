import { expect, it } from 'vitest'
import { agentsOf, expectWhole, find, messagesOf } from '../battery/records.ts'
import {
  agentPathOf,
  call,
  pathOf,
  put,
  readOne,
  replied,
  result,
  spent,
  tempProjects,
} from './claude-code.test-kit.ts'
import { claudeCodeSource } from './index.ts'

it('gives the rows of side chains to their agents', async () => {
  const folder = tempProjects()
  put(pathOf(folder, 's'), [
    replied('m', [call('t')], [1, 1]),
    replied('x', 'one', [10, 1], { isSidechain: true, agentId: 'x' }),
    replied('y', 'two', [20, 1], { isSidechain: true }),
    replied('x', 'three', [10, 5], { isSidechain: true, agentId: 'x' }),
    result('t', { agentId: 'x' }),
  ])
  const records = await readOne(folder, 's')
  expectWhole(records, await find(claudeCodeSource(folder), 's'))
  expect(messagesOf(records).map(({ agent_id, id }) => `${agent_id} ${id}`)).toEqual(
    expect.arrayContaining(['main m', 'x x', 'sidechain y']),
  )
  expect(agentsOf(records).get('x')).toMatchObject({ parent_id: 'main', tool_use_id: 't' })
  expect(spent(records)).toEqual({ input: 31, output: 7, unknown: 0 })
})

const LINKS = {
  'the file beside it': [{ toolUseId: 'two' }, []],
  'its parent in that file': [{ parentAgentId: 'outer' }, []],
  'the result of the call': [undefined, [result('two', { agentId: 'inner' })]],
  'a progress row': [undefined, [{ type: 'progress', parentToolUseID: 'two', data: { agentId: 'inner' } }]],
  'a queued task': [
    undefined,
    [
      {
        type: 'queue-operation',
        content: JSON.stringify({ task_type: 'local_agent', task_id: 'inner', tool_use_id: 'two' }),
      },
    ],
  ],
  'a queued notice': [
    undefined,
    [
      {
        type: 'queue-operation',
        content:
          '<task-notification>\n<task-id>inner</task-id>\n<tool-use-id>two</tool-use-id>\n</task-notification>',
      },
    ],
  ],
} as const

it.each(Object.entries(LINKS))('nests agents two deep by %s', async (_how, [meta, rows]) => {
  const folder = tempProjects()
  put(pathOf(folder, 's'), [replied('m', [call('one')], [1, 1]), result('one', { agentId: 'outer' })])
  put(agentPathOf(folder, 's', 'inner'), [replied('i', 'inner', [1, 1])], meta)
  put(agentPathOf(folder, 's', 'outer'), [replied('o', [call('two')], [1, 1]), ...rows])
  const agents = agentsOf(await readOne(folder, 's'))
  expect([agents.get('outer')?.parent_id, agents.get('inner')?.parent_id]).toEqual(['main', 'outer'])
})

it('nests no agent in itself, in a circle, or in one that is not there', async () => {
  const folder = tempProjects()
  const given = replied('m', [call('one')], [1, 1])
  put(pathOf(folder, 's'), [])
  put(agentPathOf(folder, 's', 'a'), [given], { toolUseId: 'one' })
  put(agentPathOf(folder, 's', 'b'), [], { parentAgentId: 'c' })
  put(agentPathOf(folder, 's', 'c'), [], { parentAgentId: 'b' })
  put(agentPathOf(folder, 's', 'd'), [], { parentAgentId: 'gone' })
  const agents = agentsOf(await readOne(folder, 's'))
  expect([...agents].map(([id, { parent_id }]) => `${id} in ${parent_id}`)).toEqual([
    'main in null',
    'a in main',
    'b in main',
    'c in main',
    'd in main',
  ])
})
