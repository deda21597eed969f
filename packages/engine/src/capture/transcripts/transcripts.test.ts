import { spawnSync } from 'node:child_process'
import { appendFileSync, mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { unwrap } from '../../result.test-kit.ts'
import { createClaudeCodeHooks } from '../claude-code/index.ts'
import { calls, type Desk, openDesk, prompt, reply, result, says } from './transcripts.test-kit.ts'

let desk: Desk
beforeEach(async () => {
  desk = await openDesk()
})
afterEach(() => desk.end())

const main = async (session = 's1') => (await desk.agents(session)).main
const shows = (expected: object, session = 's1') =>
  expect.poll(() => main(session), { timeout: 30_000, interval: 20 }).toMatchObject(expected)
const HOUR = 3_600_000

describe('following a transcript', () => {
  it('shows a session while it works, without any hook', async () => {
    desk.follow()
    desk.write('s1', [prompt('find it')])
    await shows({ state: 'working', prompt_preview: 'find it' })
    desk.write('s1', [reply([calls('t1')], 'tool_use')])
    await shows({ state: 'working', doing: { tool: 'Bash', preview: 'ls' } })
    desk.write('s1', [result('t1', { is_error: true, content: 'Exit code 1' })])
    await shows({ doing: null, errors: 1 })
    desk.write('s1', [reply([says('done\nshipped: partial\n')])])
    await shows({ state: 'done', outcome: 'partial', tool_counts: { Bash: 1 } })
    expect((await main())?.usage).toMatchObject({ input: 20, output: 10 })
  })

  it('shows sub-agents with their type, their parent and their end', async () => {
    desk.follow()
    const make = calls('made-a1b2c3d', 'Agent', {
      description: 'look',
      prompt: 'go',
      subagent_type: 'Explore',
    })
    desk.write('s1', [prompt('go'), reply([make], 'tool_use')])
    desk.write('s1', [prompt('go'), reply([calls('t1', 'Read')], 'tool_use')], 'a1b2c3d')
    const agent = async () => (await desk.agents('s1')).a1b2c3d
    await expect.poll(agent).toMatchObject({
      state: 'working',
      subagent_type: 'Explore',
      parent_id: 'main',
      tool_use_id: 'made-a1b2c3d',
    })
    desk.write('s1', [result('t1'), reply([says('shipped: functional')])], 'a1b2c3d')
    await expect.poll(agent).toMatchObject({ state: 'done', outcome: 'functional', tool_counts: { Read: 1 } })
  })

  it('waits for the rest of a line that is still being written, however long the line is', async () => {
    desk.follow()
    const path = desk.write('s1', [prompt('go'), reply([calls('t1')], 'tool_use')])
    const long = `${JSON.stringify(result('t1', { content: 'x'.repeat(10_000_000) }))}\n`
    appendFileSync(path, long.slice(0, 6_000_000))
    await shows({ doing: { tool: 'Bash' } })
    appendFileSync(path, long.slice(6_000_000))
    desk.write('s1', [reply([says('ok')])])
    await shows({ state: 'done', errors: 0, tool_counts: { Bash: 1 } })
  })

  it('reports events once when the transcript is rewritten, and after a restart', async () => {
    const first = desk.follow()
    const path = desk.write('s1', [prompt('go'), reply([calls('t1')], 'tool_use'), result('t1')])
    desk.write('s1', [reply([says('ok')])])
    await shows({ state: 'done' })
    const before = await desk.kinds()
    writeFileSync(path, readFileSync(path, 'utf8').replace('\n', '\n{"type":"summary"}\n'))
    desk.write('s1', [prompt('more')])
    await shows({ state: 'working', prompt_preview: 'more' })
    expect(await desk.kinds()).toEqual({ ...before, prompt: 2 })
    await first.stop()
    desk.write('s1', [reply([calls('t2')], 'tool_use')])
    desk.follow()
    await shows({ tool_counts: { Bash: 2 } })
    expect(await desk.kinds()).toMatchObject({ session_start: 1, prompt: 2, tool_use: 2, tool_done: 1 })
  })

  it('goes on when a pipe appears beside it', async () => {
    desk.follow()
    const path = desk.write('s1', [prompt('find it')])
    await shows({ state: 'working' })
    expect(spawnSync('mkfifo', [join(dirname(path), 'pipe.jsonl')]).status).toBe(0)
    desk.write('s1', [reply([says('done')])])
    await shows({ state: 'done' })
  })

  it('counts a call that the client refused as a failed call', async () => {
    desk.follow()
    desk.write('s1', [prompt('go'), reply([calls('t1', 'Nope')], 'tool_use')])
    await shows({ tool_counts: { Nope: 1 } })
    const refusal = {
      is_error: true,
      content: '<tool_use_error>Error: No such tool available: Nope</tool_use_error>',
    }
    desk.write('s1', [result('t1', refusal)])
    await shows({ tool_counts: { Nope: 1 }, errors: 1, doing: null, state: 'working' })
  })

  it('keeps the turn open while an agent works in the background', async () => {
    desk.follow()
    const launched = { toolUseResult: { status: 'async_launched', agentId: 'a1b2c3d' } }
    const make = calls('made-a1b2c3d', 'Agent', { description: 'look', prompt: 'go' })
    desk.write('s1', [prompt('go'), reply([make], 'tool_use'), { ...result('made-a1b2c3d'), ...launched }])
    desk.write('s1', [reply([says('shipped: partial')])])
    await shows({ state: 'working', outcome: 'partial' })
    const notice =
      '<task-notification><task-id>a1b2c3d</task-id><tool-use-id>made-a1b2c3d</tool-use-id><status>completed</status><summary>Agent "look" completed</summary></task-notification>'
    desk.write('s1', [prompt(notice)])
    await expect
      .poll(async () => (await desk.agents('s1')).a1b2c3d)
      .toMatchObject({ state: 'done', background: true })
    desk.write('s1', [reply([says('ok')])])
    await shows({ state: 'done' })
  })

  it('creates no prompt from messages that the client writes for itself', async () => {
    desk.follow()
    desk.write('s1', [prompt('go'), reply([says('ok')])])
    await shows({ state: 'done' })
    desk.write('s1', [
      prompt('<command-name>/model</command-name>'),
      prompt('<local-command-stdout>set</local-command-stdout>'),
      { ...prompt('Caveat'), isMeta: true },
      { ...prompt('a summary'), isCompactSummary: true },
      prompt('next'),
    ])
    await shows({ prompt_preview: 'next' })
    expect(await desk.kinds()).toMatchObject({ prompt: 2 })
    const command = '<command-name>/tidy</command-name>\n<command-args>notes</command-args>'
    desk.write('s1', [prompt(command), reply([calls('t1')], 'tool_use')])
    await shows({ prompt_preview: '/tidy notes' })
  })

  it('stores no secret in events or in the saved position', async () => {
    desk.follow()
    const token = `ghp_${'a1B2'.repeat(9)}`
    const make = calls('made-a1b2c3d', 'Agent', { description: `use ${token}`, prompt: token })
    desk.write('s1', [prompt(`deploy with ${token}`), reply([make], 'tool_use')])
    await shows({ doing: { tool: 'Agent' } })
    const path = join(desk.project, 's1.jsonl')
    const marks = await desk.bench.store.marks([`transcript:${path}`])
    expect(JSON.stringify([marks, await desk.bench.events()])).not.toContain(token)
  })

  it('ends a turn that a person interrupted', async () => {
    desk.follow()
    desk.write('s1', [prompt('go'), reply([calls('t1')], 'tool_use')])
    await shows({ state: 'working' })
    desk.write('s1', [prompt('[Request interrupted by user for tool use]')])
    await shows({ state: 'done', doing: null })
  })

  it.each(['hooks first', 'transcript first'])('reports an interrupted turn once, %s', async (first) => {
    const asked = prompt('go')
    const text = '[Request interrupted by user for tool use]'
    const written = [
      result('t1', { is_error: true, content: text }),
      { ...prompt(text), promptId: asked.promptId },
    ]
    const intake = desk.bench.intake()
    const hooks = async () => {
      const call = { tool_name: 'Bash', tool_use_id: 't1', error: text, is_interrupt: true }
      const payload = { session_id: 's1', hook_event_name: 'PostToolUseFailure', prompt_id: asked.promptId }
      const told = intake.capture.hook(
        createClaudeCodeHooks(),
        JSON.stringify({ ...payload, ...call }),
        Date.now(),
      )
      unwrap(await intake.append(told))
    }
    desk.follow(intake)
    desk.write('s1', [asked, reply([calls('t1')], 'tool_use')])
    await shows({ state: 'working' })
    if (first === 'hooks first') await hooks()
    desk.write('s1', written)
    await shows({ state: 'done', doing: null })
    if (first !== 'hooks first') await hooks()
    await shows({ state: 'done', errors: 0 })
    desk.write('s1', [prompt('on')])
    await shows({ state: 'working' })
    expect(await desk.kinds()).toMatchObject({ tool_use: 1, tool_done: 1, agent_done: 1 })
  })
})

describe('transcripts from before the start', () => {
  it('are left to Sessions, except for recent events of a session that continues', async () => {
    const old = desk.write('old', [prompt('long ago', Date.now() - 2 * HOUR)])
    utimesSync(old, new Date(), new Date(Date.now() - HOUR))
    desk.write('new', [prompt('now')])
    desk.follow()
    await shows({ state: 'working' }, 'new')
    expect(await main('old')).toBeUndefined()
    desk.write('old', [prompt('again')])
    await shows({ prompt_preview: 'again' }, 'old')
    const events = await desk.bench.events()
    expect(events.filter(({ session_id }) => session_id === 'old').map(({ event }) => event)).toEqual([
      'session_start',
      'prompt',
    ])
  })

  it('are not followed when somebody only touches or copies them', async () => {
    const old = Array.from({ length: 50 }, (_, n) =>
      desk.write(`old${n}`, [
        prompt('long ago', Date.now() - 2 * HOUR),
        { type: 'summary', summary: 'done' },
      ]),
    )
    const transcripts = desk.follow()
    desk.write('new', [prompt('now')])
    await shows({ state: 'working' }, 'new')
    for (const path of old) utimesSync(path, new Date(), new Date())
    desk.write('new', [reply([says('ok')])])
    await shows({ state: 'done' }, 'new')
    expect(transcripts.health()).toMatchObject({ following: 1 })
  })

  it('create no agent for a sub-agent that ended before the first start', async () => {
    const before = Date.now() - 8 * HOUR
    const made = (agent: string) => calls(`made-${agent}`, 'Agent', { description: 'look', prompt: 'go' })
    desk.write('s1', [prompt('go', before), reply([made('a1b2c3d')], 'tool_use', before)])
    desk.write('s1', [prompt('go', before), reply([says('shipped: functional')], null, before)], 'a1b2c3d')
    desk.write('s1', [result('made-a1b2c3d', {}, before), prompt('on'), reply([made('a2b2c3d')], 'tool_use')])
    desk.write('s1', [prompt('go'), reply([calls('t1', 'Read')], 'tool_use')], 'a2b2c3d')
    desk.follow()
    // One look reads the files of every agent with new rows, so a link to the older agent would be there too.
    await expect.poll(async () => (await desk.agents('s1')).a2b2c3d?.tool_use_id).toBe('made-a2b2c3d')
    expect(Object.keys(await desk.agents('s1')).sort()).toEqual(['a2b2c3d', 'main'])
  })

  it('name the parent of a sub-agent that an older call of another sub-agent made', async () => {
    const before = Date.now() - 8 * HOUR
    const nested = calls('made-a2b2c3d', 'Agent', { description: 'look', prompt: 'go' })
    desk.write('s1', [prompt('go', before)])
    desk.write('s1', [prompt('go', before), reply([nested], 'tool_use', before)], 'a1b2c3d')
    desk.write('s1', [prompt('go'), reply([calls('t1', 'Read')], 'tool_use')], 'a2b2c3d')
    desk.follow()
    await expect.poll(async () => (await desk.agents('s1')).a2b2c3d?.parent_id).toBe('a1b2c3d')
  })

  it('are not reported again by a session that begins with copies of their rows', async () => {
    desk.follow()
    const rows = [prompt('go', Date.now() - 600_000), reply([calls('t1')], 'tool_use', Date.now() - 600_000)]
    desk.write('copy', rows)
    desk.write('copy', [prompt('branch')])
    await shows({ prompt_preview: 'branch', tool_counts: {} }, 'copy')
    desk.write('other', [{ ...prompt('from s1'), sessionId: 's1' }, prompt('own')])
    await shows({ prompt_preview: 'own' }, 'other')
    expect(await desk.kinds()).toMatchObject({ prompt: 2 })
  })

  it('are continued at the saved position, even a day later', async () => {
    const first = desk.follow()
    const path = desk.write('s1', [prompt('go'), reply([calls('t1')], 'tool_use')])
    await shows({ state: 'working' })
    await first.stop()
    desk.write('s1', [result('t1'), reply([says('ok')])])
    utimesSync(path, new Date(), new Date(Date.now() - 24 * HOUR))
    desk.follow()
    await shows({ state: 'done', tool_counts: { Bash: 1 } })
  })
})

describe('a session that both hooks and a transcript report', () => {
  it('is stored once, whichever side reports first', async () => {
    const intake = desk.bench.intake()
    const hooks = createClaudeCodeHooks()
    const hook = (name: string, fields: object) => {
      const payload = { session_id: 's1', hook_event_name: name, ...fields }
      return intake.append(intake.capture.hook(hooks, JSON.stringify(payload), Date.now()))
    }
    const asked = prompt('go')
    const call = {
      tool_name: 'Bash',
      tool_use_id: 't1',
      tool_input: { command: 'ls' },
      prompt_id: asked.promptId,
    }
    await hook('SessionStart', { source: 'startup' })
    await hook('UserPromptSubmit', { prompt: 'go', prompt_id: asked.promptId })
    await hook('PreToolUse', call)
    desk.follow()
    desk.write('s1', [asked, reply([calls('t1')], 'tool_use'), result('t1'), reply([says('ok')])])
    await shows({ state: 'done' })
    const { usage, ...kinds } = await desk.kinds()
    expect(usage).toBe(2)
    expect(kinds).toEqual({ session_start: 1, prompt: 1, tool_use: 1, tool_done: 1, agent_done: 1 })
  })
})

it('reports the folder of transcripts and finds one that is created later', async () => {
  const folder = join(desk.bench.folder, 'projects')
  rmSync(folder, { recursive: true })
  const transcripts = desk.follow()
  expect(transcripts.health()).toEqual({ folder, following: 0, behind: 0, problem: null })
  mkdirSync(desk.project, { recursive: true })
  desk.write('s1', [prompt('go')])
  await shows({ state: 'working' })
  expect(transcripts.health()).toEqual({ folder, following: 1, behind: 0, problem: null })
})

it('counts a call that was running when its session was forked only for the original session', async () => {
  const uuids = (rows: readonly object[]) =>
    rows.map((row, n) => ({ ...row, uuid: `00000000-0000-4000-8000-00000000000${n}` }))
  const copied = uuids([prompt('go'), reply([calls('t1')], 'tool_use')])
  const old = desk.write('old', copied)
  const timestamp = new Date(Date.now() + 5).toISOString()
  const queued = { type: 'queue-operation', operation: 'enqueue', content: 'on', timestamp }
  const cut = {
    is_error: true,
    content: "[Tool call interrupted: the session ended before this call's result.]",
  }
  const own = [result('t1', cut), prompt('on'), reply([says('done')])]
  desk.write('fork', [queued, ...copied.map((row) => ({ ...row, sessionId: 'fork' })), ...own])
  desk.follow()
  await shows({ state: 'done', tool_counts: {}, errors: 0, usage: { input: 10 } }, 'fork')
  expect((await desk.kinds()).tool_done).toBeUndefined()
  appendFileSync(old, `${JSON.stringify(result('t1'))}\n`)
  await shows({ doing: null, tool_counts: { Bash: 1 }, errors: 0 }, 'old')
})

it('takes no duration sample from a call that was denied or interrupted', async () => {
  desk.follow()
  const denied = {
    ...result('t1', { is_error: true, content: 'Better not.' }),
    toolDenialKind: 'permission-rule',
  }
  const cut = { is_error: true, content: "The user doesn't want to proceed with this tool use." }
  const made = reply([calls('t1'), calls('t2')], 'tool_use')
  desk.write('s1', [prompt('go'), made, denied, result('t2', cut), reply([says('ok')])])
  await shows({ state: 'done', tool_counts: { Bash: 2 }, errors: 0 })
  const tools = unwrap(await desk.bench.store.tools()).value
  expect(tools).toMatchObject([{ tool: 'Bash', calls: 2, errors: 0, samples: 0, p50_ms: null }])
})

it('counts rows that a fork copied only in the original session, even within a minute of the fork', async () => {
  const uuids = (rows: readonly object[]) =>
    rows.map((row, n) => ({ ...row, uuid: `00000000-0000-4000-8000-00000000000${n}` }))
  const copied = uuids([
    prompt('go'),
    reply([calls('t1', 'Agent')], 'tool_use'),
    result('t1'),
    reply([says('ok')]),
  ])
  desk.write('old', copied)
  // A client needs longer than a millisecond to answer and to be started again.
  const timestamp = new Date(Date.now() + 5).toISOString()
  const queued = { type: 'queue-operation', operation: 'enqueue', content: 'on', timestamp }
  const own = [prompt('on'), reply([calls('t2')], 'tool_use'), result('t2'), reply([says('done')])]
  desk.write('fork', [queued, ...copied.map((row) => ({ ...row, sessionId: 'fork' })), ...own])
  desk.follow()
  await expect
    .poll(async () => (await desk.agents('fork')).main?.usage)
    .toMatchObject({ input: 20, output: 10 })
  expect((await desk.agents('fork')).main).toMatchObject({ tool_counts: { Bash: 1 }, prompt_preview: 'on' })
  await expect.poll(async () => (await desk.agents('old')).main?.tool_counts).toEqual({ Agent: 1 })
})
