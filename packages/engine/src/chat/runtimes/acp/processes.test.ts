import { afterEach, describe, expect, it, vi } from 'vitest'
import type { AcpOptions } from './adapter.ts'
import { ask, progressIn } from './run-adapter.test-kit.ts'
import { type AcpAct, type ScriptedAgent, startScriptedAgent } from './scripted-agent.test-kit.ts'

/** Processes may be slow on a busy machine. */
const until = (is: () => void) => vi.waitFor(is, 30_000)

describe('ACP agent processes', () => {
  let agent: ScriptedAgent
  const start = async (limits: AcpOptions['limits'] = {}) => {
    agent = await startScriptedAgent({ limits })
  }
  afterEach(() => agent.close())

  /** Prompts the agent and stops it while it works. */
  const stopped = async (act: AcpAct) => {
    agent.play(act)
    const stop = new AbortController()
    const run = ask(agent.adapter, { signal: stop.signal })
    await until(() => expect(agent.activeAnswers()).toBe(1))
    if (act.spawns) await until(() => expect(agent.children()).toHaveLength(1))
    stop.abort()
    const { ended } = await run
    expect(ended).toEqual({ type: 'end', outcome: 'cancelled' })
  }
  const isAlive = (pid: number): boolean => {
    try {
      process.kill(pid, 0)
      return true
    } catch {
      return false
    }
  }

  it('keep an agent that stops on request', async () => {
    await start()
    await stopped({ after: 'hangs' })
    agent.play({ say: 'Still here.' })
    expect((await ask(agent.adapter)).text).toBe('Still here.')
    expect(agent.started()).toBe(1)
  })

  it('end an unresponsive agent with its children within the time limit', async () => {
    await start()
    await stopped({ after: 'hangs', deaf: true, spawns: true })
    expect(agent.started()).toBe(1)
    await until(() => expect(agent.processes()).toBe(0))
    const [child = 0] = agent.children()
    await until(() => expect(isAlive(child)).toBe(false))
    agent.play({ say: 'Another.' })
    expect((await ask(agent.adapter)).text).toBe('Another.')
    expect(agent.started()).toBe(2)
  })

  it('treat an error of a stopped agent as its end', async () => {
    await start()
    agent.play({ say: 'Done.', unlessAllowed: 'Not done.', breaksWhenStopped: true })
    const stop = new AbortController()
    const { ended } = await ask(agent.adapter, {
      signal: stop.signal,
      answer: async () => {
        stop.abort()
        return null
      },
    })
    expect(ended).toEqual({ type: 'end', outcome: 'cancelled' })
  })

  it('start nothing for a run that is already stopped', async () => {
    await start()
    expect((await ask(agent.adapter, { signal: AbortSignal.abort() })).ended).toEqual({
      type: 'end',
      outcome: 'cancelled',
    })
    expect(agent.started()).toBe(0)
  })

  it('end an agent that has been idle', async () => {
    await start({ idleMs: 1_500 })
    await ask(agent.adapter)
    expect(agent.processes()).toBe(1)
    await until(() => expect(agent.processes()).toBe(0))
    const { events, text } = await ask(agent.adapter)
    expect(text).toBe('ok')
    expect(progressIn(events, 'step').map(({ status }) => status)).toEqual(['started', 'completed'])
  })

  it('run one agent per conversation up to a limit, and evict the longest idle one', async () => {
    await start({ most: 2 })
    for (const conversation_id of ['one', 'two', 'one', 'three'])
      expect((await ask(agent.adapter, { conversation_id })).text).toBe('ok')
    expect(agent.started()).toBe(3)
    await until(() => expect(agent.processes()).toBe(2))
    await ask(agent.adapter, { conversation_id: 'one' })
    expect(agent.started()).toBe(3)
  })

  it('report when all agents are busy', async () => {
    await start({ most: 1 })
    agent.play({ after: 'hangs' })
    const stop = new AbortController()
    const first = ask(agent.adapter, { signal: stop.signal })
    await until(() => expect(agent.activeAnswers()).toBe(1))
    expect((await ask(agent.adapter, { conversation_id: 'two' })).ended).toMatchObject({
      type: 'failed',
      code: 'rate_limited',
    })
    stop.abort()
    await first
  })

  it('end an agent that is silent for too long, but not while a person is asked', async () => {
    await start({ silentMs: 2_000 })
    agent.play({ say: 'Done.', unlessAllowed: 'Not done.' })
    const answer = () => new Promise<string>((done) => setTimeout(done, 2_500, 'once'))
    expect((await ask(agent.adapter, { answer })).text).toBe('Done.')
    agent.play({ say: 'Half', after: 'hangs' })
    const { text, ended } = await ask(agent.adapter)
    expect(text).toBe('Half')
    expect(ended).toMatchObject({ type: 'failed', code: 'timed_out' })
    await until(() => expect(agent.processes()).toBe(0))
  })

  it('all end with the adapter', async () => {
    await start()
    await ask(agent.adapter)
    await ask(agent.adapter, { conversation_id: 'two' })
    await agent.adapter.close()
    await until(() => expect(agent.processes()).toBe(0))
  })

  it('report why an agent ended at once and what is missing', async () => {
    await start()
    const failing = agent.adapterWith({
      command: ['sh', '-c', 'echo "npm error 404 Not Found - no-such-agent" >&2; exit 1'],
      advice: { install: 'npm install -g it' },
    })
    expect((await ask(failing)).ended).toMatchObject({
      type: 'failed',
      code: 'not_installed',
      message:
        'Scripted is not installed: it exited with code 1. Run `npm install -g it`. npm error 404 Not Found - no-such-agent',
    })
    expect(await failing.health()).toMatchObject({ state: 'not_installed' })
  })

  it('are not started in a missing folder', async () => {
    await start()
    expect((await ask(agent.adapter, { folder: '/no/such/folder' })).ended).toMatchObject({
      type: 'failed',
      code: 'not_configured',
    })
  })
})
