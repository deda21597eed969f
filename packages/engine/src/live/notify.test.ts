import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openScene, type Scene } from './live.test-kit.ts'
import { createNotifier, type Notifier, type NotifierOptions } from './notify.ts'

let scene: Scene
let file = ''
let notifier: Notifier | undefined
beforeEach(async () => {
  scene = await openScene()
  file = join(scene.folder, 'told')
})
afterEach(async () => {
  await notifier?.stop()
  await scene.end()
})

const NOW = 1_790_000_000_000
/** A busy machine may take seconds to start a shell. */
const SOON = { timeout: 30_000, interval: 20 }
const failures: string[] = []

function start(command: string, options: Partial<NotifierOptions> = {}): void {
  failures.length = 0
  notifier = createNotifier({
    store: scene.store,
    command,
    now: () => NOW,
    holdMs: 0,
    everyMs: 5,
    failed: (reason) => failures.push(reason),
    ...options,
  })
}

const notified = async () =>
  (await readFile(file, 'utf8').catch(() => '')).split('\n').filter((line) => line !== '')
const write = () => `printf '%s %s %s\\n' "$PANOPTES_EVENT" "$PANOPTES_AGENT" "$PANOPTES_REASON" >>'${file}'`

describe('the notify command', () => {
  it('runs for waits, stuck agents and failures, and for nothing else', async () => {
    start(write())
    await scene.tell(NOW, 'prompt', { agent_id: 'main' })
    await scene.tell(NOW, 'agent_wait', { agent_id: 'main', reason: 'allow Bash?' })
    await expect.poll(notified, SOON).toHaveLength(1)
    await scene.tell(NOW, 'agent_done', { id: 'fine', outcome: 'functional' })
    await scene.tell(NOW, 'agent_done', { id: 'bad', outcome: 'fail' })
    await expect.poll(notified, SOON).toHaveLength(2)
    await scene.tell(NOW, 'agent_stuck', { agent_id: 'slow' })
    await expect
      .poll(notified, SOON)
      .toEqual(['agent_wait main allow Bash?', 'agent_done bad failed', 'agent_stuck slow is stuck'])
  })

  it('runs for a failed call linked to the agent it created, and for no other link', async () => {
    start(write())
    await scene.tell(NOW, 'agent_spawn', { id: 'a' })
    await scene.tell(NOW, 'agent_link', { id: 'a', tool_use_id: 'T', status: 'completed' })
    await scene.tell(NOW, 'agent_link', { id: 'b', tool_use_id: 'U', status: 'failed' })
    await expect.poll(notified, SOON).toEqual(['agent_link b failed'])
  })

  it('runs once for failures of one agent within half a minute, and again later', async () => {
    let now = NOW
    start(write(), { now: () => now })
    const fail = async (after: number, fields: object = {}) => {
      await scene.tell(NOW + after, 'agent_done', { id: 'a', error: `e${after}`, ...fields })
    }
    await fail(0)
    await expect.poll(notified, SOON).toHaveLength(1)
    now = NOW + 29_999
    await fail(29_999)
    await fail(29_998, { id: 'b' })
    await expect.poll(notified, SOON).toHaveLength(2)
    now = NOW + 30_000
    await fail(30_000)
    await expect
      .poll(notified, SOON)
      .toEqual(['agent_done a e0', 'agent_done b e29998', 'agent_done a e30000'])
  })

  it('runs once when the client repeats a reminder of an open wait', async () => {
    start(write())
    const asks = { agent_id: 'a', reason: 'allow Bash?', tool: 'Bash', wait: 'permission_request' }
    await scene.tell(NOW, 'prompt', { agent_id: 'main' })
    await scene.tell(NOW, 'agent_wait', asks)
    await expect.poll(notified, SOON).toHaveLength(1)
    await scene.tell(NOW, 'agent_wait', { agent_id: 'main', reason: 'x', wait: 'permission_prompt' })
    await scene.tell(NOW, 'agent_wait', { agent_id: 'b', reason: 'y' })
    await expect.poll(notified, SOON).toEqual(['agent_wait a allow Bash?', 'agent_wait b y'])
  })

  it('does not run for a session that a hook started', async () => {
    start(write())
    await scene.tell(NOW, 'session_start', { session_id: 'within', from_hook: true })
    await scene.tell(NOW, 'agent_wait', { session_id: 'within', agent_id: 'main', reason: 'x' })
    await scene.tell(NOW, 'agent_done', { session_id: 'within', id: 'main', error: 'y' })
    await scene.tell(NOW, 'agent_wait', { agent_id: 'main', reason: 'z' })
    await expect.poll(notified, SOON).toEqual(['agent_wait main z'])
  })

  it('receives the event as JSON and never as part of the command line', async () => {
    start(`cat >>'${file}'`)
    const reason = `'; touch '${file}-evil'; $(touch '${file}-evil') "`
    await scene.tell(NOW, 'agent_wait', { agent_id: 'main', reason })
    await expect.poll(async () => JSON.parse((await notified())[0] ?? '{}'), SOON).toMatchObject({ reason })
    await expect(readFile(`${file}-evil`)).rejects.toThrow()
  })

  it('does not run again for the same event within half a minute, nor for old events', async () => {
    start(write())
    await scene.tell(NOW - 120_000, 'agent_wait', { agent_id: 'long ago', reason: 'x' })
    for (let times = 0; times < 3; times += 1)
      await scene.tell(NOW, 'agent_wait', { agent_id: 'a', reason: 'x' })
    await scene.tell(NOW, 'agent_wait', { agent_id: 'b', reason: 'x' })
    await expect.poll(notified, SOON).toHaveLength(2)
    expect((await notified()).sort()).toEqual(['agent_wait a x', 'agent_wait b x'])
  })

  it('runs once per wait that is still open after ten seconds', async () => {
    let now = NOW
    start(write(), { now: () => now, holdMs: 10_000 })
    const at = (after: number, event: string, fields: object) => {
      now = NOW + after
      return scene.tell(now, event, { agent_id: 'main', ...fields })
    }
    const call = (id: string, tool: string) => ({ id, tool })
    const asks = (tool: string) => ({ tool, reason: `allow ${tool}?`, wait: 'permission_request' })
    await at(0, 'prompt', {})
    await at(1, 'tool_use', call('b1', 'Bash'))
    await at(2, 'agent_wait', asks('Bash'))
    await at(1_500, 'tool_done', call('b1', 'Bash'))
    await at(1_501, 'tool_use', call('b2', 'WebFetch'))
    await at(1_502, 'tool_use', call('b3', 'Write'))
    await at(1_503, 'agent_wait', asks('WebFetch'))
    await at(6_000, 'agent_wait', asks('Write'))
    await at(9_000, 'agent_wait', { reason: 'needs your permission to use Write', wait: 'permission_prompt' })
    now = NOW + 11_502
    await scene.tell(now, 'agent_stuck', { agent_id: 'slow' })
    await expect.poll(notified, SOON).toEqual(['agent_stuck slow is stuck'])
    now = NOW + 11_503
    await expect.poll(notified, SOON).toHaveLength(2)
    await at(12_000, 'tool_done', call('b2', 'WebFetch'))
    await expect.poll(notified, SOON).toHaveLength(2)
    now = NOW + 16_000
    await expect.poll(notified, SOON).toHaveLength(3)
    await at(17_000, 'agent_wait', {
      reason: 'needs your permission to use Write',
      wait: 'permission_prompt',
    })
    await scene.tell(now, 'agent_stuck', { agent_id: 'slower' })
    await expect
      .poll(notified, SOON)
      .toEqual([
        'agent_stuck slow is stuck',
        'agent_wait main allow WebFetch?',
        'agent_wait main allow Write?',
        'agent_stuck slower is stuck',
      ])
  })

  it('is killed when it takes too long, and its failure is reported', async () => {
    start('exec sleep 60', { timeoutMs: 50 })
    await scene.tell(NOW, 'agent_wait', { agent_id: 'a', reason: 'x' })
    await expect.poll(() => failures, SOON).toEqual(['it was stopped after 50 ms'])
    await notifier?.stop()
    start('exit 3')
    await scene.tell(NOW, 'agent_stuck', { agent_id: 'a' })
    await expect.poll(() => failures, SOON).toEqual(['it exited with code 3'])
  })
})
