import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { unwrap } from '../../result.test-kit.ts'
import { type Bench, openBench } from '../capture.test-kit.ts'
import type { HookReader } from '../hook.ts'
import type { Intake } from '../intake.ts'
import { withAfterwards } from '../intake.ts'
import { createClaudeCodeHooks } from './read.ts'

let bench: Bench
let intake: Intake
let reader: HookReader
let clock = 0
beforeEach(async () => {
  bench = await openBench()
  reader = createClaudeCodeHooks()
  intake = withAfterwards(bench.intake({ readers: [reader] }))
  clock = Date.UTC(2026, 8, 1)
})
afterEach(() => bench.end())

const folder = () => join(bench.folder, 'project', 's1', 'subagents')
const file = (agent: string) => join(folder(), `agent-${agent}.meta.json`)

async function sidecar(agent: string, contents: object | string): Promise<void> {
  await mkdir(folder(), { recursive: true })
  await writeFile(file(agent), typeof contents === 'string' ? contents : JSON.stringify(contents))
}

const payloadOf = (hook_event_name: string, fields: object) => {
  const transcript_path = join(bench.folder, 'project', 's1.jsonl')
  return { session_id: 's1', transcript_path, hook_event_name, ...fields }
}

async function hook(name: string, fields: object = {}): Promise<void> {
  clock += 1_000
  const text = JSON.stringify(payloadOf(name, fields))
  unwrap(await intake.append(intake.capture.hook(reader, text, clock)))
}

/** Returns what the reader finds after one payload, without an intake that queries it as well. */
async function found(name: string, fields: object): Promise<readonly unknown[] | undefined> {
  reader.read(payloadOf(name, fields), clock)
  return reader.afterwards?.()
}

const call = (id: string, tool = 'Bash') => ({ tool_name: tool, tool_use_id: id, tool_input: {} })
const links = async () => (await bench.events()).filter(({ event }) => event === 'agent_link')
const parentOf = async (agent: string) =>
  unwrap(await bench.store.agents({ session: 's1', limit: 10 })).value.find(({ id }) => id === agent)
    ?.parent_id

describe('an agent of an agent', () => {
  beforeEach(async () => {
    await hook('PreToolUse', call('T1', 'Agent'))
    await hook('SubagentStart', { agent_id: 'outer', agent_type: 'X' })
    await hook('PreToolUse', { agent_id: 'outer', ...call('T2', 'Agent') })
  })

  it('is not looked up at a path that another computer names', async () => {
    await sidecar('inner', { agentType: 'X', toolUseId: 'T2' })
    expect(await found('SubagentStart', { agent_id: 'inner' })).toHaveLength(1)
    reader = createClaudeCodeHooks({ looks: false })
    expect(await found('SubagentStart', { agent_id: 'inner' })).toEqual([])
  })

  it('is linked to its parent while it works, by the call in its file', async () => {
    await sidecar('inner', { agentType: 'Y', toolUseId: 'T2', spawnDepth: 2 })
    await hook('SubagentStart', { agent_id: 'inner', agent_type: 'Y' })
    await expect.poll(() => parentOf('inner')).toBe('outer')
    expect(await links()).toMatchObject([{ id: 'inner', parent_id: 'outer', tool_use_id: 'T2', ts: clock }])
  })

  it('is linked to its parent by its file, also after a restart', async () => {
    reader = createClaudeCodeHooks()
    intake = withAfterwards(bench.intake({ readers: [reader] }))
    await sidecar('inner', { toolUseId: 'T2', parentAgentId: 'outer' })
    await hook('PreToolUse', { agent_id: 'inner', ...call('t') })
    await expect.poll(() => parentOf('inner')).toBe('outer')
  })

  it('is looked up again at its next event while the file is missing or incomplete', async () => {
    await hook('SubagentStart', { agent_id: 'inner', agent_type: 'Y' })
    await sidecar('inner', '{"toolUseId":"T2","parentAg')
    await hook('PreToolUse', { agent_id: 'inner', ...call('t1') })
    await sidecar('inner', { toolUseId: 'T2' })
    await hook('PostToolUse', { agent_id: 'inner', ...call('t1') })
    await expect.poll(() => parentOf('inner')).toBe('outer')
  })

  it('is looked up until its file was read, at most five times', async () => {
    await sidecar('inner', { toolUseId: 'T2' })
    expect(await found('PreToolUse', { agent_id: 'inner', ...call('t1') })).toHaveLength(1)
    expect(await found('PreToolUse', { agent_id: 'inner', ...call('t2') })).toEqual([])
    for (let n = 0; n < 5; n += 1) {
      expect(await found('PreToolUse', { agent_id: 'late', ...call(`l${n}`) })).toEqual([])
    }
    await sidecar('late', { toolUseId: 'T2' })
    expect(await found('PreToolUse', { agent_id: 'late', ...call('l9') })).toEqual([])
  })
})

it('links an agent of the session itself to main', async () => {
  await sidecar('a1', { agentType: 'X', toolUseId: 'T9', spawnDepth: 1 })
  await hook('SubagentStart', { agent_id: 'a1', agent_type: 'X' })
  await expect.poll(links).toMatchObject([{ id: 'a1', parent_id: 'main', tool_use_id: 'T9' }])
})

it('reads kind and label of a workflow agent from the folder of its run', async () => {
  const run = join(folder(), 'workflows', 'wf_1')
  await mkdir(run, { recursive: true })
  const meta = { agentType: 'reviewer', description: 'review the parser', spawnDepth: 1 }
  await writeFile(join(run, 'agent-w1.meta.json'), JSON.stringify(meta))
  await writeFile(join(run, 'agent-w1.jsonl'), '')
  await hook('SubagentStart', { agent_id: 'w1', agent_type: 'workflow-subagent' })
  await expect
    .poll(links)
    .toMatchObject([{ id: 'w1', parent_id: 'main', subagent_type: 'reviewer', name: 'review the parser' }])
})

it.each([
  ['says nothing of it', '{"agentType":"X"}'],
  ['is no object', '[]'],
  ['is far too large', `{"toolUseId":"T","x":"${'x'.repeat(70_000)}"}`],
  ['names nobody', '{"toolUseId":7,"parentAgentId":"bad\\ud800"}'],
])('ignores a file that %s', async (_, contents) => {
  await sidecar('a1', contents)
  expect(await found('SubagentStart', { agent_id: 'a1', agent_type: 'X' })).toEqual([])
})

it('does not follow an id that leads out of the folder', async () => {
  await mkdir(join(folder(), 'agent-x'), { recursive: true })
  await writeFile(join(bench.folder, 'other.meta.json'), '{"toolUseId":"T1"}')
  expect(await found('SubagentStart', { agent_id: 'x/../../../../other', agent_type: 'X' })).toEqual([])
  await sidecar('a1', { toolUseId: 'T1' })
  const elsewhere = { agent_id: 'a1', transcript_path: 'project/s1.jsonl' }
  expect(await found('SubagentStart', elsewhere)).toEqual([])
})
