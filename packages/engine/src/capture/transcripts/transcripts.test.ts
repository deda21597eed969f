import { appendFileSync, mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { unwrap } from '../capture.test-kit.ts'
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

describe('a transcript that is written to', () => {
  it('shows its session as it works, without any hook', async () => {
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

  it('shows its agents, each with its kind, its maker and its end', async () => {
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

  it('waits for the rest of a line that is being written, however long', async () => {
    desk.follow()
    const path = desk.write('s1', [prompt('go'), reply([calls('t1')], 'tool_use')])
    const long = `${JSON.stringify(result('t1', { content: 'x'.repeat(10_000_000) }))}\n`
    appendFileSync(path, long.slice(0, 6_000_000))
    await shows({ doing: { tool: 'Bash' } })
    appendFileSync(path, long.slice(6_000_000))
    desk.write('s1', [reply([says('ok')])])
    await shows({ state: 'done', errors: 0, tool_counts: { Bash: 1 } })
  })

  it('is told once when it is written anew, and after a restart', async () => {
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

  it('tells of a call only while it may run', async () => {
    desk.follow()
    desk.write('s1', [prompt('go'), reply([calls('t1', 'Nope')], 'tool_use')])
    await shows({ tool_counts: { Nope: 1 } })
    const refusal = {
      is_error: true,
      content: '<tool_use_error>Error: No such tool available: Nope</tool_use_error>',
    }
    desk.write('s1', [result('t1', refusal)])
    await shows({ tool_counts: {}, errors: 0, state: 'working' })
  })

  it('keeps the turn open while something works on in the background', async () => {
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

  it('takes what the client does for itself for no prompt', async () => {
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

  it('has no secrets in what is kept of it', async () => {
    desk.follow()
    const token = `ghp_${'a1B2'.repeat(9)}`
    const make = calls('made-a1b2c3d', 'Agent', { description: `use ${token}`, prompt: token })
    desk.write('s1', [prompt(`deploy with ${token}`), reply([make], 'tool_use')])
    await shows({ doing: { tool: 'Agent' } })
    const path = join(desk.project, 's1.jsonl')
    const marks = await desk.bench.ledger.marks([`transcript:${path}`])
    expect(JSON.stringify([marks, await desk.bench.events()])).not.toContain(token)
  })

  it('ends a turn that a person broke off', async () => {
    desk.follow()
    desk.write('s1', [prompt('go'), reply([calls('t1')], 'tool_use')])
    await shows({ state: 'working' })
    desk.write('s1', [prompt('[Request interrupted by user for tool use]')])
    await shows({ state: 'done', doing: null })
  })

  it.each(['hooks first', 'transcript first'])('tells a turn that was broken off once, %s', async (first) => {
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

describe('what was there before', () => {
  it('is left to Sessions, but for what happened lately in a session that goes on', async () => {
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

  it('is not told again by a session that begins with copies of it', async () => {
    desk.follow()
    const rows = [prompt('go', Date.now() - 600_000), reply([calls('t1')], 'tool_use', Date.now() - 600_000)]
    desk.write('copy', rows)
    desk.write('copy', [prompt('branch')])
    await shows({ prompt_preview: 'branch', tool_counts: {} }, 'copy')
    desk.write('other', [{ ...prompt('from s1'), sessionId: 's1' }, prompt('own')])
    await shows({ prompt_preview: 'own' }, 'other')
    expect(await desk.kinds()).toMatchObject({ prompt: 2 })
  })

  it('is taken up where it was left, also a day later', async () => {
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

describe('a session with hooks', () => {
  it('is stored once, whichever side is first', async () => {
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

it('says where it looks, and finds a folder that is made later', async () => {
  const folder = join(desk.bench.folder, 'projects')
  rmSync(folder, { recursive: true })
  const transcripts = desk.follow()
  expect(transcripts.health()).toEqual({ folder, following: 0, behind: 0, problem: null })
  mkdirSync(desk.project, { recursive: true })
  desk.write('s1', [prompt('go')])
  await shows({ state: 'working' })
  expect(transcripts.health()).toEqual({ folder, following: 1, behind: 0, problem: null })
})
