import { describe, expect, it } from 'vitest'
import { keysOf, setUp, start } from './normalise.test-kit.ts'

describe('idempotency keys', () => {
  it('are taken from the event, else from its id, else from its content and time', async () => {
    const captured = await setUp().read(
      { ...start, key: 'mine' },
      { ...start, event: 'prompt', id: 'p:1', source: 'cc' },
      { ...start, ts: 5 },
      { ...start, ts: 6 },
    )
    const [given, byId, early, late] = keysOf(captured)
    expect(given).toBe('mine')
    expect(byId).toBe('cc:s1:p%3A1:prompt')
    expect(early).not.toBe(late)
  })

  it('distinguish a colon in the source from a separator', async () => {
    const captured = await setUp().read(
      { event: 'x', session_id: 's', id: 'i', source: 'a:b' },
      { event: 'x', session_id: 'b:s', id: 'i', source: 'a' },
    )
    expect(keysOf(captured)).toEqual(['a%3Ab:s:i:x', 'a:b%3As:i:x'])
  })

  it('of lines without a session use the parent of a spawn, or else the agent', async () => {
    const captured = await setUp().read(
      { event: 'agent_spawn', id: 'a1', parent_id: 'p1', agent_id: 'x' },
      { event: 'tool_use', id: 't1', agent_id: 'a1', tool: 'Bash' },
    )
    expect(keysOf(captured)).toEqual(['custom:p1:a1:agent_spawn', 'custom:a1:t1:tool_use'])
  })

  it('over the limit are hashed', async () => {
    const long = 'k'.repeat(600)
    const captured = await setUp().read(
      { ...start, key: long },
      { ...start, event: 'prompt', id: 'i'.repeat(510) },
    )
    expect(captured.rejected).toEqual([])
    for (const key of keysOf(captured)) expect(key).toMatch(/^sha256:[\w-]{32}$/)
  })

  it('treat identical lines without id and time as duplicates within five seconds', async () => {
    const { read, advance } = setUp()
    const [first] = keysOf(await read(start))
    advance(5_000)
    expect(keysOf(await read(start))).toEqual([first])
    advance(1)
    expect(keysOf(await read(start))).not.toEqual([first])
  })
})
