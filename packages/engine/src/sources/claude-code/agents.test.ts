import { spawnSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { agentsOf, expectWhole, find, messagesOf } from '../conformance/records.ts'
import {
  agentPathOf,
  call,
  pathOf,
  promptRow,
  put,
  type Row,
  readOne,
  replied,
  result,
  spent,
  tempProjects,
} from './claude-code.test-kit.ts'
import { claudeCodeSource } from './index.ts'

it('assigns sidechain rows to their agents', async () => {
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

it('drops an interruption when the agent replies again and keeps one that only its last rows follow', async () => {
  const folder = tempProjects()
  const interrupted = (seconds: number, more: Row = {}) =>
    promptRow('[Request interrupted by user for tool use]', seconds, more)
  const late = (ms: number) => ({
    timestamp: new Date(Date.parse(String(promptRow('', 2).timestamp)) + ms).toISOString(),
  })
  put(pathOf(folder, 'again'), [
    promptRow('go'),
    interrupted(2),
    promptRow('again', 2, late(300)),
    replied('m', 'here', [1, 1], late(600)),
  ])
  put(pathOf(folder, 'over'), [
    promptRow('go'),
    replied('m', [call('t', 'Bash')], [1, 1]),
    interrupted(2),
    replied('n', 'No response requested.', [0, 0], {
      ...late(600),
      message: { model: '<synthetic>', role: 'assistant', content: 'No response requested.' },
    }),
  ])
  expect(agentsOf(await readOne(folder, 'again')).get('main')?.outcome).toBeUndefined()
  expect(agentsOf(await readOne(folder, 'over')).get('main')?.outcome).toBe('stopped')
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

it.each(Object.entries(LINKS))('nests agents two levels deep by %s', async (_how, [meta, rows]) => {
  const folder = tempProjects()
  put(pathOf(folder, 's'), [replied('m', [call('one')], [1, 1]), result('one', { agentId: 'outer' })])
  put(agentPathOf(folder, 's', 'inner'), [replied('i', 'inner', [1, 1])], meta)
  put(agentPathOf(folder, 's', 'outer'), [replied('o', [call('two')], [1, 1]), ...rows])
  const agents = agentsOf(await readOne(folder, 's'))
  expect([agents.get('outer')?.parent_id, agents.get('inner')?.parent_id]).toEqual(['main', 'outer'])
})

it('nests no agent in itself, in a cycle, or in a missing agent', async () => {
  const folder = tempProjects()
  const reply = replied('m', [call('one')], [1, 1])
  put(pathOf(folder, 's'), [])
  put(agentPathOf(folder, 's', 'a'), [reply], { toolUseId: 'one' })
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

const at = (type: 'user' | 'assistant', seconds: number, content: string, more: object = {}) => ({
  type,
  uuid: `${type}-${seconds}`,
  timestamp: new Date(Date.UTC(2026, 8, 1, 10, 0, seconds)).toISOString(),
  message: { role: type, content },
  ...more,
})
const reports = (agent: string, status: string) =>
  `<task-notification>\n<task-id>${agent}</task-id>\n<tool-use-id>t</tool-use-id>\n<status>${status}</status>\n</task-notification>`

it('reports agents as stopped or failed unless they continued', async () => {
  const folder = tempProjects()
  put(pathOf(folder, 's'), [
    at('user', 10, reports('killed', 'killed')),
    at('user', 11, reports('failed', 'failed')),
    at('user', 12, reports('done', 'completed')),
    at('user', 13, reports('resumed', 'killed')),
    at('user', 20, '[Request interrupted by user]'),
  ])
  for (const id of ['killed', 'failed', 'done'])
    put(agentPathOf(folder, 's', id), [at('assistant', 9, 'so far')])
  put(agentPathOf(folder, 's', 'resumed'), [at('assistant', 9, 'so far'), at('assistant', 30, 'all of it')])
  put(agentPathOf(folder, 's', 'died'), [at('assistant', 9, 'API Error: 529', { isApiErrorMessage: true })])
  const agents = agentsOf(await readOne(folder, 's'))
  expect([...agents].map(([id, { outcome }]) => [id, outcome]).sort()).toEqual([
    ['died', 'fail'],
    ['done', undefined],
    ['failed', 'fail'],
    ['killed', 'stopped'],
    ['main', 'stopped'],
    ['resumed', undefined],
  ])
})

it("takes an agent's duration from the client's newest report, not from the agent's answer", async () => {
  const folder = tempProjects()
  const report = (agent: string, ms: number | undefined, result = 'done') => ({
    type: 'queue-operation',
    content:
      `<task-notification>\n<task-id>${agent}</task-id>\n<tool-use-id>t-${agent}</tool-use-id>\n<status>completed</status>` +
      `\n<result>${result}</result>${ms === undefined ? '' : `\n<usage><tool_uses>1</tool_uses><duration_ms>${ms}</duration_ms></usage>`}` +
      '\n</task-notification>',
  })
  put(pathOf(folder, 's'), [
    at('user', 1, 'go'),
    report('a', 2_242),
    report('a', 8_548, '<usage><duration_ms>1</duration_ms></usage>'),
    report('b', undefined),
  ])
  for (const id of ['a', 'b']) put(agentPathOf(folder, 's', id), [at('assistant', 9, 'so far')])
  const agents = agentsOf(await readOne(folder, 's'))
  expect(agents.get('a')?.duration_ms).toBe(8_548)
  expect(agents.get('b')).not.toHaveProperty('duration_ms')
})

it('reads an agent whose description is a pipe', async () => {
  const folder = tempProjects()
  put(pathOf(folder, 's'), [promptRow('go')])
  put(agentPathOf(folder, 's', 'x'), [replied('x', 'one', [10, 1], { isSidechain: true, agentId: 'x' })])
  const meta = agentPathOf(folder, 's', 'x').replace('.jsonl', '.meta.json')
  expect(spawnSync('mkfifo', [meta]).status).toBe(0)
  expect([...agentsOf(await readOne(folder, 's')).keys()]).toEqual(['main', 'x'])
})
