import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { unwrap } from '../result.test-kit.ts'
import { type Bench, openBench } from './capture.test-kit.ts'
import { createClaudeCodeHooks } from './claude-code/index.ts'
import { setUp } from './normalise.test-kit.ts'

let bench: Bench
beforeEach(async () => {
  bench = await openBench()
})
afterEach(() => bench.end())

async function hear(payload: object): Promise<void> {
  const { capture, append } = bench.intake()
  const text = JSON.stringify({ session_id: 's1', hook_event_name: 'PreToolUse', ...payload })
  unwrap(await append(capture.hook(createClaudeCodeHooks(), text, 1_000)))
}
const call = (id: string) => ({ tool_name: 'Bash', tool_use_id: id })
const names = async () =>
  unwrap(await bench.store.agents({ limit: 100 })).value.map(({ session_id, id }) => [session_id, id])

describe('an invalid name', () => {
  it.each([
    ['an agent with half a character', { agent_id: 'bad\ud800', ...call('t1') }],
    ['an agent that is no text', { agent_id: { x: 1 }, ...call('t1') }],
    ['a session with the separator of names', { session_id: 's1\u001fmain', ...call('t1') }],
    ['a session that is too long', { session_id: 's'.repeat(513), ...call('t1') }],
    [
      'an agent of a call, far too long',
      {
        hook_event_name: 'PostToolUse',
        tool_name: 'Agent',
        tool_use_id: 't1',
        tool_response: { status: 'async_launched', agentId: 'a'.repeat(3_000_000) },
      },
    ],
    [
      'an agent of a call, with a NUL',
      {
        hook_event_name: 'PostToolUse',
        tool_name: 'Agent',
        tool_use_id: 't1',
        tool_response: { status: 'async_launched', agentId: 'a\0' },
      },
    ],
  ])('is stored as a raw event and creates no agent: %s', async (_, payload) => {
    await hear(call('t0'))
    await hear(payload)
    expect((await names()).filter(([session]) => session !== 'unknown')).toEqual([['s1', 'main']])
    const unread = (await bench.events()).find(({ event }) => event === 'hook')
    expect(unread).toMatchObject({ problem: expect.stringMatching(/name|agent_id|session_id|id/) })
    expect(JSON.stringify(unread).length).toBeLessThan(20_000)
  })

  it('is rejected in an event line of any kind', async () => {
    for (const agent_id of ['bad\ud800', 'a\u001fb', 'a'.repeat(513)]) {
      const { events, rejected } = await setUp().read({ event: 'novel', session_id: 's1', agent_id })
      expect(events).toEqual([])
      expect(rejected).toEqual([{ line: 1, path: 'agent_id', reason: 'cannot be the name of an agent' }])
    }
    expect((await setUp().read({ event: 'novel', session_id: 's1', agent_id: 7 })).events).toHaveLength(1)
  })
})

it('drops a field of the wrong shape and keeps the others', async () => {
  await hear({ hook_event_name: 'PostToolUse', ...call('t1'), duration_ms: -5 })
  const [event] = await bench.events()
  expect(event).toMatchObject({ event: 'tool_done', id: 't1', ok: true })
  expect(event).not.toHaveProperty('duration_ms')
})
