import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openScene, type Scene } from './live.test-kit.ts'
import { watchMovedOn } from './resume-watch.ts'

let scene: Scene
let stop = new AbortController()
let watching: Promise<void> = Promise.resolve()
beforeEach(async () => {
  scene = await openScene()
  stop = new AbortController()
})
afterEach(async () => {
  stop.abort()
  await watching
  await scene.end()
})

const of = {
  source: 'claude-code',
  session_id: 's1',
  agent_id: 'a',
  tool: 'Bash',
  input_preview: 'rm -r build',
  ts: 1,
}
const call = (id: string, input_preview: string, more: object = {}) => ({
  id,
  agent_id: 'a',
  tool: 'Bash',
  input_preview,
  ...more,
})

/** Counts callbacks once every stored event was seen. */
function watch() {
  let times = 0
  watching = watchMovedOn(scene.store, of, () => (times += 1), stop.signal)
  return () => times
}

describe('a waiting agent', () => {
  it('moves on when the call it asked for ends, not when another call does', async () => {
    await scene.tell(1, 'tool_use', call('t1', 'rm -r build'))
    await scene.tell(2, 'tool_use', call('t2', 'ls'))
    const times = watch()
    await scene.tell(3, 'tool_use', call('t3', 'pwd'))
    for (const id of ['t2', 't3'])
      await scene.tell(4, 'tool_done', { id, agent_id: 'a', tool: 'Bash', ok: true })
    await scene.tell(5, 'tool_done', { id: 't1', agent_id: 'b', tool: 'Bash' })
    await scene.tell(6, 'tool_done', { id: 't1', agent_id: 'a', tool: 'Bash', session_id: 's2' })
    await scene.tell(7, 'tool_done', { id: 't1', agent_id: 'a', tool: 'Bash', ok: true })
    await expect.poll(times).toBe(1)
  })

  it('does not move on because of earlier events that arrive late', async () => {
    const times = watch()
    await scene.tell(0, 'agent_done', { id: 'a' })
    await scene.tell(0, 'prompt', { agent_id: 'a' })
    await scene.tell(0, 'tool_use', call('t0', 'ls'))
    await scene.tell(2, 'tool_done', { id: 't0', agent_id: 'a', tool: 'Bash', ok: true })
    await scene.tell(3, 'prompt', { agent_id: 'a' })
    await expect.poll(times).toBe(1)
  })

  it.each([
    ['its turn ended', 'agent_done', { id: 'a' }],
    ['it got a new prompt', 'prompt', { agent_id: 'a' }],
    ['its session ended', 'session_end', {}],
    [
      'a call of its tool ended that nobody saw begin',
      'tool_done',
      { id: 't9', agent_id: 'a', tool: 'Bash' },
    ],
  ])('moves on when %s', async (_, event, fields) => {
    const times = watch()
    await scene.tell(1, 'agent_done', { id: 'other' })
    await scene.tell(2, event, fields)
    await expect.poll(times).toBe(1)
  })
})
