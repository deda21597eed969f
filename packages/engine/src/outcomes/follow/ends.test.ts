import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openSources, type SessionRecord } from '@panoptes/engine/sources'
import type { ContentBlock, Message } from '@panoptes/schema'
import { describe, expect, it } from 'vitest'
import { accountOf, agentOf, NOON, tempFolder } from '../outcomes.test-kit.ts'
import { Ends } from './ends.ts'

const FIXTURES = fileURLToPath(new URL('../../../../../fixtures/claude-code', import.meta.url))

const message = (role: Message['role'], block: ContentBlock, ts = NOON): SessionRecord => ({
  kind: 'message',
  message: {
    id: 'm',
    session_id: 's',
    role,
    ts,
    model: null,
    agent_id: 'main',
    content: [block],
    usage: null,
    state: 'active',
    hidden: false,
  },
})
const result = (text: string, ts = NOON) =>
  message('tool', { type: 'tool_result', id: 'call', ok: true, text, duration_ms: null }, ts)
const notice = (status: string, ts = NOON) =>
  message(
    'user',
    {
      type: 'text',
      text: `<task-notification>\n<task-id>a</task-id>\n<status>${status}</status>\n</task-notification>`,
    },
    ts,
  )
const made: SessionRecord = {
  kind: 'agent',
  agent: { id: 'a', parent_id: 'main', subagent_type: null, description: null, tool_use_id: 'call' },
}

async function finished(records: readonly SessionRecord[], source = 'claude-code'): Promise<boolean> {
  const ends = new Ends(source)
  for (const record of records) ends.take(record)
  const account = accountOf('s', { agents: [agentOf('a', { finished: false })] })
  return ends.told(account).agents[0]?.finished ?? false
}

describe('end of an agent', () => {
  it('is found in the result of the call that started it, in any order', async () => {
    expect(await finished([made])).toBe(false)
    expect(await finished([made, result('Done.')])).toBe(true)
    expect(await finished([result('Done.'), made])).toBe(true)
  })

  it('is not found in the result of a call that only launched it', async () => {
    const text = 'Async agent launched successfully. (This tool result is internal metadata)'
    expect(await finished([made, result(text)])).toBe(false)
    expect(await finished([made, result('{"status":"async_launched"}')])).toBe(false)
    expect(await finished([made, result('{"agent_id":"x"}')], 'codex')).toBe(false)
  })

  it('is found in the notice of the client for a background agent', async () => {
    const launched = result('Async agent launched successfully.', NOON - 5_000)
    expect(await finished([made, launched, notice('running')])).toBe(false)
    for (const status of ['completed', 'failed', 'killed'])
      expect(await finished([made, launched, notice(status)])).toBe(true)
  })

  it('does not count if the agent worked afterwards', async () => {
    expect(await finished([made, result('Done.', NOON - 5_000)])).toBe(false)
    expect(await finished([made, result('Done.', NOON - 5_000), notice('completed')])).toBe(true)
  })

  it('is found for every background agent of a recorded session', async () => {
    const config = tempFolder()
    const project = join(config, 'projects', '-home-dev-notes')
    const id = '92328504-f995-4355-a7ac-d00474e19cc4'
    cpSync(join(FIXTURES, 'both', 'background', 'main.jsonl'), join(project, `${id}.jsonl`))
    cpSync(join(FIXTURES, 'both', 'background', 'subagents'), join(project, id, 'subagents'), {
      recursive: true,
    })
    const [source] = openSources({ CLAUDE_CONFIG_DIR: config })
    const ends = new Ends('claude-code')
    const last = new Map<string, number>()
    for await (const listed of source?.list() ?? []) {
      if (listed.kind !== 'listed' || source === undefined) continue
      for await (const record of source.read(listed)) {
        ends.take(record)
        if (record.kind !== 'message') continue
        const { agent_id, ts } = record.message
        last.set(agent_id, Math.max(last.get(agent_id) ?? 0, ts ?? 0))
      }
    }
    expect(last.size).toBe(4)
    const agents = [...last].map(([agent, at]) => agentOf(agent, { finished: false, last_at: at }))
    const told = ends.told(accountOf(id, { agents })).agents
    expect(told.filter(({ agent_id }) => agent_id !== 'main').map(({ finished }) => finished)).toEqual([
      true,
      true,
      true,
    ])
    expect(told.find(({ agent_id }) => agent_id === 'main')?.finished).toBe(false)
  })
})
