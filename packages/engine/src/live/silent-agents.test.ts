import { mkdir, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { unwrap } from '../result.test-kit.ts'
import { openScene, type Scene } from './live.test-kit.ts'
import { createJudge, type Judge, type JudgeOptions } from './silent-agents.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const START = Date.UTC(2026, 9, 1)

let scene: Scene
let now = START
let judge: Judge
const judges: Judge[] = []
/** Creates a judge that only looks when it is asked to. */
const another = (more: Partial<JudgeOptions> = {}): Judge => {
  const made = createJudge({
    store: scene.store,
    append: (events) => scene.store.append(events),
    host: 'here',
    now: () => now,
    everyMs: 1_000_000,
    ...more,
  })
  judges.push(made)
  return made
}
beforeEach(async () => {
  now = START
  scene = await openScene()
  judge = another()
})
afterEach(async () => {
  for (const each of judges.splice(0)) await each.stop()
  await scene.end()
})

const lookingBy = (by: Judge) => (ts: number) => {
  now = START + ts
  return by.look()
}
const at = (ts: number) => lookingBy(judge)(ts)
const stateOf = async (id: string) =>
  unwrap(await scene.store.agents({ session: 's1', limit: 100 })).value.find((agent) => agent.id === id)
    ?.state

async function samples(tool: string, count: number, duration_ms: number): Promise<void> {
  for (let index = 0; index < count; index += 1) {
    const id = `${tool}-${index}`
    await scene.tell(START, 'tool_use', { id, agent_id: 'main', tool, session_id: 'earlier' })
    await scene.tell(START, 'tool_done', {
      id,
      agent_id: 'main',
      tool,
      ok: true,
      duration_ms,
      session_id: 'earlier',
    })
  }
  await scene.tell(START, 'session_end', { session_id: 'earlier' })
}

it('reads no agents while nobody is alive and nothing happens', async () => {
  const reads = vi.spyOn(scene.store, 'agents')
  await at(0)
  await at(5 * SECOND)
  expect(reads).toHaveBeenCalledTimes(1)
  await scene.tell(START, 'tool_use', { id: 't1', agent_id: 'main', tool: 'Read' })
  await at(10 * SECOND)
  await at(15 * SECOND)
  expect(reads).toHaveBeenCalledTimes(3)
})

describe('a silent agent', () => {
  it('is stuck after a minute when its tool is usually quick, until it shows a sign of life', async () => {
    await samples('Read', 5, 40)
    await scene.tell(START, 'tool_use', { id: 't1', agent_id: 'main', tool: 'Read' })
    expect(await at(60 * SECOND)).toEqual([])
    expect(await at(61 * SECOND)).toMatchObject([
      { event: 'agent_stuck', agent_id: 'main', silent_ms: 61_000 },
    ])
    expect(await stateOf('main')).toBe('stuck')
    expect(await at(62 * SECOND)).toEqual([])
    await scene.tell(START + 63 * SECOND, 'tool_done', { id: 't1', agent_id: 'main', tool: 'Read', ok: true })
    expect(await stateOf('main')).toBe('working')
  })

  it('gets three times the usual duration of its tool', async () => {
    await samples('Bash', 8, 100 * SECOND)
    await scene.tell(START, 'tool_use', { id: 't1', agent_id: 'main', tool: 'Bash' })
    expect(await at(4 * MINUTE)).toEqual([])
    expect(await at(6 * MINUTE)).toMatchObject([{ event: 'agent_stuck' }])
  })

  it('is lost after half an hour, or after twice its silence limit if that is longer', async () => {
    await samples('Slow', 5, 20 * MINUTE)
    await scene.tell(START, 'tool_use', { id: 't1', agent_id: 'a', tool: 'Slow' })
    await scene.tell(START, 'tool_use', { id: 't2', agent_id: 'b', tool: 'Bash' })
    expect(await at(31 * MINUTE)).toMatchObject([{ event: 'agent_lost', agent_id: 'b' }])
    expect(await at(100 * MINUTE)).toMatchObject([{ event: 'agent_stuck', agent_id: 'a' }])
    expect(await at(150 * MINUTE)).toMatchObject([{ event: 'agent_lost', agent_id: 'a' }])
  })

  it('is judged exactly once, however many agents are silent', async () => {
    const events = Array.from({ length: 600 }, (_, n) => ({
      v: 1,
      key: `many-${n}`,
      ts: START,
      event: 'agent_spawn',
      source: 'claude-code',
      host: 'here',
      session_id: 's1',
      id: `a${n}`,
    }))
    unwrap(await scene.store.append(events as Parameters<typeof scene.store.append>[0]))
    const appended: unknown[] = []
    const many = another({
      append: (verdicts) => {
        appended.push(...verdicts.map(({ agent_id }) => agent_id))
        return scene.store.append(verdicts)
      },
    })
    await lookingBy(many)(11 * MINUTE)
    expect(appended).toHaveLength(600)
    expect(new Set(appended).size).toBe(600)
    expect(await lookingBy(many)(12 * MINUTE)).toEqual([])
  })

  it('gets ten minutes when there are too few samples', async () => {
    await samples('Rare', 4, 10)
    await scene.tell(START, 'tool_use', { id: 't1', agent_id: 'a', tool: 'Rare' })
    await scene.tell(START, 'prompt', { agent_id: 'main' })
    expect(await at(10 * MINUTE)).toEqual([])
    expect((await at(10 * MINUTE + 1)).map(({ agent_id }) => agent_id).sort()).toEqual(['a', 'main'])
  })

  it('is not stuck while it waits for a person or for a child at work', async () => {
    await scene.tell(START, 'agent_wait', { agent_id: 'main', reason: 'asks' })
    await scene.tell(START, 'agent_spawn', { id: 'a', parent_id: 'main' })
    await scene.tell(START, 'agent_spawn', { id: 'b', parent_id: 'a' })
    await scene.tell(START + 9 * MINUTE, 'tool_use', { id: 't1', agent_id: 'b', tool: 'Bash' })
    expect(await at(12 * MINUTE)).toEqual([])
    expect((await at(20 * MINUTE)).map(({ agent_id }) => agent_id).sort()).toEqual(['a', 'b'])
  })

  it('is neither stuck nor lost while a child waits for a person', async () => {
    await scene.tell(START, 'prompt', { agent_id: 'main' })
    await scene.tell(START, 'tool_use', { id: 'T', agent_id: 'main', tool: 'Agent' })
    await scene.tell(START, 'agent_spawn', { id: 'a', parent_id: 'main' })
    await scene.tell(START, 'agent_spawn', { id: 'b', parent_id: 'a' })
    await scene.tell(START, 'agent_wait', { agent_id: 'b', reason: 'asks' })
    for (const ts of [11 * MINUTE, 31 * MINUTE, 23 * HOUR]) expect(await at(ts)).toEqual([])
    expect((await at(25 * HOUR)).map(({ event, agent_id }) => [event, agent_id])).toEqual([
      ['agent_lost', 'b'],
    ])
    expect((await at(25 * HOUR + MINUTE)).map(({ agent_id }) => agent_id).sort()).toEqual(['a', 'main'])
  })

  it('is not judged when its session was opened without a prompt', async () => {
    await scene.tell(START, 'session_start')
    await scene.tell(START, 'hook', { agent_id: 'main', session_id: 'unknown' })
    expect(await at(11 * MINUTE)).toEqual([])
    expect(await at(HOUR)).toEqual([])
    expect(await stateOf('main')).toBe('done')
  })

  it('ignores the duration of calls that a person interrupted', async () => {
    await samples('Bash', 6, 50)
    await scene.tell(START, 'prompt', { agent_id: 'main' })
    await scene.tell(START, 'tool_use', { id: 't1', agent_id: 'main', tool: 'Bash' })
    await scene.tell(START + 1, 'prompt', { agent_id: 'main' })
    await scene.tell(START + 2, 'tool_use', { id: 't2', agent_id: 'main', tool: 'Read' })
    await scene.tell(START + 3, 'tool_done', { id: 't2', agent_id: 'main', tool: 'Read', ok: true })
    expect(await at(90 * SECOND)).toEqual([])
  })

  it('ignores silence from before the judge was listening', async () => {
    await judge.stop()
    await scene.tell(START, 'prompt', { agent_id: 'main' })
    now = START + 20 * MINUTE
    judge = createJudge({
      store: scene.store,
      append: async () => ({ ok: true, value: null }),
      host: '',
      now: () => now,
    })
    expect(await at(20 * MINUTE)).toEqual([])
    expect(await at(31 * MINUTE)).toHaveLength(1)
  })
})

describe('an agent without any events', () => {
  it('is lost after half an hour, which ends it', async () => {
    await scene.tell(START, 'prompt', { agent_id: 'main' })
    expect(await at(29 * MINUTE)).toMatchObject([{ event: 'agent_stuck' }])
    expect(await at(31 * MINUTE)).toMatchObject([{ event: 'agent_lost', agent_id: 'main' }])
    expect(await stateOf('main')).toBe('done')
    expect(await at(32 * MINUTE)).toEqual([])
  })

  it('may wait a day for a person', async () => {
    await scene.tell(START, 'agent_wait', { agent_id: 'main', reason: 'asks' })
    expect(await at(23 * HOUR)).toEqual([])
    expect(await at(25 * HOUR)).toMatchObject([{ event: 'agent_lost' }])
  })

  it('is not looked up at a path that another computer names', async () => {
    const transcript = join(scene.folder, 'session.jsonl')
    await writeFile(transcript, '')
    await scene.tell(START, 'session_start', { transcript_path: transcript })
    await scene.tell(START, 'prompt', { agent_id: 'main' })
    await utimes(transcript, (START + 50 * MINUTE) / 1_000, (START + 50 * MINUTE) / 1_000)
    const unlooking = another({ looks: false })
    expect((await at(51 * MINUTE)).filter(({ event }) => event === 'agent_lost')).toEqual([])
    expect(await unlooking.look()).toMatchObject([{ event: 'agent_lost' }])
  })

  it('is not lost while its transcript is being written', async () => {
    const transcript = join(scene.folder, 'session.jsonl')
    const own = join(scene.folder, 'session', 'subagents', 'agent-a1.jsonl')
    await mkdir(join(scene.folder, 'session', 'subagents'), { recursive: true })
    await writeFile(transcript, '')
    await writeFile(own, '')
    await scene.tell(START, 'session_start', { transcript_path: transcript })
    await scene.tell(START, 'prompt', { agent_id: 'main' })
    await scene.tell(START, 'agent_spawn', { id: 'a1' })
    await scene.tell(START, 'agent_spawn', { id: '../../escape' })
    const written = async (file: string, ts: number) =>
      utimes(file, (START + ts) / 1_000, (START + ts) / 1_000)
    await written(transcript, 10 * MINUTE)
    await written(own, 45 * MINUTE)
    const lost = async (ts: number) =>
      (await at(ts)).filter(({ event }) => event === 'agent_lost').map(({ agent_id }) => agent_id)
    expect(await lost(35 * MINUTE)).toEqual(['../../escape'])
    expect(await lost(45 * MINUTE)).toEqual(['main'])
    expect(await lost(80 * MINUTE)).toEqual(['a1'])
  })

  it('is judged by arrival time when its clock runs ahead', async () => {
    const ahead = 10 * 24 * HOUR
    await scene.tell(START + ahead, 'tool_use', { id: 't1', agent_id: 'main', tool: 'Bash' })
    expect(await at(0)).toEqual([])
    expect(await at(9 * MINUTE)).toEqual([])
    expect(await at(11 * MINUTE)).toMatchObject([{ event: 'agent_stuck', silent_ms: 11 * MINUTE }])
    await scene.tell(START + ahead + MINUTE, 'tool_done', {
      id: 't1',
      agent_id: 'main',
      tool: 'Bash',
      ok: true,
    })
    expect(await stateOf('main')).toBe('working')
    expect(await at(20 * MINUTE)).toEqual([])
    expect(await at(51 * MINUTE)).toMatchObject([{ event: 'agent_lost', agent_id: 'main' }])
    expect(await stateOf('main')).toBe('done')
  })

  it('is judged by arrival time when other computers report it late or with a slow clock', async () => {
    const late = 40 * MINUTE
    const look = lookingBy(another({ looks: false }))
    expect(await look(0)).toEqual([])
    for (let minute = 1; minute <= 50; minute += 7) {
      await scene.tell(START + minute * MINUTE - late, 'prompt', { agent_id: 'main' })
      expect(await look(minute * MINUTE)).toEqual([])
      expect(await stateOf('main')).toBe('working')
    }
    expect(await look(59 * MINUTE)).toEqual([])
    expect(await look(61 * MINUTE)).toMatchObject([{ event: 'agent_stuck', silent_ms: 11 * MINUTE }])
    expect(await look(79 * MINUTE)).toEqual([])
    expect(await look(81 * MINUTE)).toMatchObject([{ event: 'agent_lost', agent_id: 'main' }])
  })

  it.each([true, false])(
    'is judged by its latest work after one timestamp from the future (looks: %s)',
    async (looks) => {
      const look = lookingBy(another({ looks }))
      const call = { id: 't', agent_id: 'main', tool: 'Bash' }
      expect(await look(0)).toEqual([])
      await scene.tell(START + 100 * MINUTE, 'prompt', { agent_id: 'main' })
      for (let minute = 1; minute <= 50; minute += 7) {
        const kind = minute % 2 === 1 ? 'tool_use' : 'tool_done'
        await scene.tell(START + minute * MINUTE, kind, { ...call, ok: true })
        expect(await look(minute * MINUTE)).toEqual([])
      }
      const [first] = await look(61 * MINUTE)
      expect(first).toMatchObject({ event: 'agent_stuck', silent_ms: 11 * MINUTE })
      expect(await look(62 * MINUTE)).toEqual([])
      await scene.tell(START + 63 * MINUTE, 'hook', { agent_id: 'main' })
      expect(await look(63 * MINUTE)).toEqual([])
      const [second] = await look(74 * MINUTE)
      expect(second).toMatchObject({ event: 'agent_stuck', silent_ms: 11 * MINUTE })
      expect(second?.key).not.toBe(first?.key)
      expect(await stateOf('main')).toBe('stuck')
      expect(await look(94 * MINUTE)).toMatchObject([{ event: 'agent_lost' }])
    },
  )

  it('is not lost when a new judge takes over that has not heard it yet', async () => {
    await scene.tell(START + 10 * MINUTE, 'prompt', { agent_id: 'main' })
    now = START + 50 * MINUTE
    const look = lookingBy(another({ looks: false }))
    expect(await look(52 * MINUTE)).toEqual([])
    expect(await look(79 * MINUTE)).toMatchObject([{ event: 'agent_stuck' }])
    expect(await look(81 * MINUTE)).toMatchObject([{ event: 'agent_lost' }])
  })

  it('gets the same verdict from a replay', async () => {
    await scene.tell(START, 'prompt', { agent_id: 'main' })
    await at(11 * MINUTE)
    await at(40 * MINUTE)
    const then = async (ts: number) => unwrap(await scene.store.agentsAt({ ts: START + ts })).value[0]?.state
    expect(await then(MINUTE)).toBe('working')
    expect(await then(12 * MINUTE)).toBe('stuck')
    expect(await then(40 * MINUTE)).toBe('done')
  })
})

describe('the judge', () => {
  it('looks at the agents periodically without being called', async () => {
    await judge.stop()
    const looks: number[] = []
    judge = createJudge({
      store: scene.store,
      append: async (events) => {
        looks.push(events.length)
        return { ok: true, value: null }
      },
      host: 'here',
      now: () => now,
      everyMs: 5,
    })
    await scene.tell(START, 'prompt', { agent_id: 'main' })
    now = START + 20 * MINUTE
    await expect.poll(() => looks.length).toBeGreaterThan(2)
  })

  it.each([
    ['ahead', 30 * 24 * HOUR],
    ['back', -30 * 24 * HOUR],
  ])('judges no agent silent after the clock jumped %s, and counts from there', async (_, jump) => {
    let up = 0
    const by = another({ uptimeMs: () => up })
    const pass = (ms: number) => {
      now += ms
      up += ms
      return by.look()
    }
    await scene.tell(START, 'session_start')
    await scene.tell(START, 'prompt')
    expect(await pass(MINUTE)).toEqual([])
    now += jump
    expect(await pass(SECOND)).toEqual([])
    expect(await pass(2 * MINUTE)).toEqual([])
    expect(await stateOf('main')).toBe('working')
    const verdicts = await pass(40 * MINUTE)
    expect(verdicts.map(({ event }) => event)).not.toEqual([])
  })
})
