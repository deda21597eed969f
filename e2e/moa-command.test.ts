import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ScriptedServer } from '@panoptes/engine/testing/scripted-models'
import type { MoaTurn, PresetsReply, TraceRecord, TurnDiff, TurnReply } from '@panoptes/schema'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { collect, exitOf, spawnCommand } from './command.ts'
import { useHome } from './command-kit.ts'
import { type Daemon, startDaemon } from './daemon.ts'
import { startScriptedModels, writePreset } from './moa-models.ts'

const { home, run, json, start } = useHome()
let models: ScriptedServer
beforeEach(async () => {
  models = await startScriptedModels()
  await writePreset(home(), models.url)
})
afterEach(() => models.close())

const asked = (model: string) => models.requests.filter(({ body }) => body.model === model)
const ask = (...args: string[]) => json('moa', 'run', '--preset', 'review', ...args)
const turns = async () => (await json('moa', 'turns')).turns as readonly MoaTurn[]

const readTurns = async (daemon: Daemon): Promise<readonly MoaTurn[]> => {
  const reply = await daemon.request('/api/moa/turns')
  return ((await reply.json()) as { turns: readonly MoaTurn[] }).turns
}

const readTraces = async (daemon: Daemon, session: string): Promise<readonly TraceRecord[]> => {
  const turns = (await readTurns(daemon)).filter(({ session_id }) => session_id === session)
  const replies = turns.map(async ({ id }) => (await daemon.request(`/api/moa/turns/${id}`)).json())
  return ((await Promise.all(replies)) as TurnReply[]).flatMap(({ records }) => records)
}

/** Sends a client's request to the gateway. */
const post = async (daemon: Daemon, session: string, content: string): Promise<Response> =>
  fetch(`${daemon.address}/v1/chat/completions`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${await daemon.token('gateway')}`,
      'content-type': 'application/json',
      'x-panoptes-session-id': session,
    },
    body: JSON.stringify({ model: 'moa/review', messages: [{ role: 'user', content }] }),
  })

describe.each(['with a daemon', 'without one'])('panoptes moa, %s', (how) => {
  beforeEach(async () => {
    if (how === 'with a daemon') await start()
  })

  it('runs a preset: the answer goes to stdout, progress to stderr', async () => {
    const { code, stdout, stderr } = await run('moa', 'run', '--preset', 'review', 'Is', 'it', 'safe?')
    expect(`${code} ${stdout}`).toBe('0 Make a copy, then look at the lock.\n')
    expect(stderr).toMatch(/1\/2 local:/)
    expect(stderr).toContain('local:acting answers')
    expect(asked('early')[0]?.text).toContain('Is it safe?')
    const [turn] = await turns()
    expect(turn).toMatchObject({ preset: 'review', status: 'done', iterations: 1, question: 'Is it safe?' })
  })

  it('lists presets with their models, and names where keys come from', async () => {
    const reply = (await json('moa', 'presets')) as unknown as PresetsReply & { code: number }
    expect(reply).toMatchObject({ code: 0, default_preset: 'review', save_traces: true })
    expect(reply.presets.map(({ name, problems }) => [name, problems])).toEqual([['review', []]])
    expect(reply.providers.find(({ name }) => name === 'local')).toMatchObject({ from: 'config' })
    expect((await run('moa', 'presets')).stdout).toMatch(/review \(default\)\n +asks +local:early/)
  })

  it('shows a stored turn, runs it again with one change, and shows the difference', async () => {
    const first = await ask('--session', 'talk', 'Is it safe?')
    const { id } = first.turn as MoaTurn
    const shown = await json('moa', 'traces', 'talk')
    expect(shown.records).toMatchObject([{ turn_id: id, session_id: 'talk', iteration: 1, status: 'done' }])
    expect((await run('moa', 'traces', 'tal')).stdout).toContain('Make a copy before anything else.')

    const again = await json('moa', 'replay', id, '--aggregator', 'local/other')
    expect(again).toMatchObject({ code: 0, text: 'Leave it as it is.' })
    const fewer = await json('moa', 'replay', id.slice(0, 8), '--without', '2')
    expect((fewer.turn as MoaTurn).slots.map(({ label }) => label)).toEqual(['local:early', 'local:acting'])
    expect([asked('early').length, asked('late').length]).toEqual([3, 2])

    const replay = (again.turn as MoaTurn).id
    const changed = (await json('moa', 'diff', id, '--with', replay)) as unknown as TurnDiff
    expect(changed.aggregator).toEqual({ before: 'local:acting', after: 'local:other' })
    expect(changed.references.map(({ change }) => change)).toEqual(['same', 'same'])
    const newest = (await json('moa', 'diff', id)) as unknown as TurnDiff
    expect(newest.references.map(({ change }) => change)).toEqual(['same', 'removed'])
    expect((await run('moa', 'diff', id)).stdout).toContain('- local:late')
    expect((await turns()).map(({ replay_of }) => replay_of)).toEqual([id, id, null])
  })

  it('stores no text while traces are off', async () => {
    await run('config', 'set', 'moa.save_traces', 'false')
    if (how === 'with a daemon') {
      await run('stop')
      await start()
    }
    const { turn } = await ask('--session', 'quiet', 'Is it safe?')
    expect(turn).toMatchObject({ status: 'done', traced: false })
    expect(existsSync(join(home().panoptes, 'moa-traces'))).toBe(false)
    const { code, stderr } = await run('moa', 'replay', (turn as MoaTurn).id)
    expect(code).toBe(1)
    expect(stderr).toContain('moa.save_traces true')
  })

  it('suggests what to do for an unknown preset, turn or session, and for a failing model', async () => {
    expect((await run('moa', 'run', '--preset', 'none', 'x')).stderr).toContain('panoptes moa presets')
    expect((await run('moa', 'replay', 'ffffffff')).stderr).not.toMatch(/Check the name|Correct/)
    for (const args of [
      ['run', '--preset', 'none', 'x'],
      ['replay', 'ffffffff'],
      ['diff', 'ffffffff'],
      ['traces', 'nobody'],
    ]) {
      const { code, stdout, stderr } = await run('moa', ...args)
      expect([code, stdout], stderr).toEqual([1, ''])
      expect(stderr).not.toMatch(/ at .*:\d+:\d+/)
    }
    expect((await run('moa', 'run', '--preset', 'review', ' ')).code).toBe(2)
    models.script('acting', { status: 401 })
    const refused = await run('moa', 'run', '--preset', 'review', 'x')
    expect(refused.code).toBe(1)
    expect(refused.stderr).toContain('local:acting')
    expect((await turns())[0]).toMatchObject({ status: 'failed' })
  })

  it('lets no turn fail if traces cannot be written, and doctor explains why', async () => {
    await writeFile(join(home().folder, 'no-folder'), '')
    await run('config', 'set', 'moa.trace_dir', join(home().folder, 'no-folder'))
    if (how === 'with a daemon') {
      await run('stop')
      await start()
    }
    expect(await ask('Is it safe?')).toMatchObject({ code: 0, text: 'Make a copy, then look at the lock.' })
    const { checks } = (await json('doctor')) as unknown as { checks: { id: string; state: string }[] }
    expect(checks.find(({ id }) => id === 'moa-traces')).toMatchObject({ state: 'warning' })
    expect((await turns())[0]).toMatchObject({ status: 'done' })
  })
})

describe('traces in a folder that a variable names', () => {
  it('are read where the daemon writes them, whatever the variable is in the command', async () => {
    await run('config', 'set', 'moa.trace_dir', '$TRACE_ROOT/own')
    const root = join(home().folder, 'elsewhere')
    const daemon = await startDaemon({ home: home(), env: { TRACE_ROOT: root } })
    onTestFinished(async () => void (await daemon.stop()))
    const { turn } = await ask('--session', 'talk', 'Is it safe?')
    const { id } = turn as MoaTurn
    expect(await json('moa', 'traces')).toMatchObject({ trace_dir: join(root, 'own') })
    for (const args of [
      ['talk'],
      ['tal', '--turn', id.slice(0, 8)],
      ['--turn', id],
      ['--turn', id, '--limit', '1'],
    ])
      expect((await json('moa', 'traces', ...args)).records, args.join(' ')).toMatchObject([{ turn_id: id }])
    expect((await run('moa', 'traces', '--turn', 'ffffffff')).stderr).toContain('panoptes moa turns')
  })
})

describe('a turn whose daemon is killed', () => {
  it('leaves an intact home, in which new turns work', async () => {
    const daemon = await start()
    expect((await post(daemon, 'before', 'first')).ok).toBe(true)
    await expect.poll(() => readTraces(daemon, 'before')).toHaveLength(1)
    models.script('late', { hangs: true })
    const broken = post(daemon, 'killed', 'second').catch((error: unknown) => error)
    await expect.poll(() => asked('late').length).toBe(2)
    await daemon.kill()
    expect(await broken).toBeInstanceOf(Error)
    await expect.poll(() => models.left.length).toBe(1)

    models.script('late', { text: 'Here again.' })
    const { checks } = (await json('doctor')) as unknown as { checks: { id: string; state: string }[] }
    const kept = checks.filter(({ id }) => id === 'ledger' || id === 'moa-traces')
    expect([...new Set(kept.map(({ state }) => state))]).toEqual(['ok'])
    const next = await start()
    expect((await post(next, 'killed', 'second')).ok).toBe(true)
    await expect
      .poll(async () => (await turns()).map(({ session_id }) => session_id))
      .toEqual(['killed', 'before'])
    expect(asked('late')).toHaveLength(3)
  })
})

describe('a command that is stopped', () => {
  it('stops every call, and the turn is stored as stopped', async () => {
    const daemon = await start()
    models.script('early', { hangs: true })
    models.script('late', { hangs: true })
    const child = spawnCommand(home(), ['moa', 'run', '--preset', 'review', 'wait for ever'])
    const stderr = collect(child, 'stderr')
    await expect.poll(() => asked('late').length).toBe(1)
    child.kill('SIGINT')
    expect(await exitOf(child), stderr()).not.toBe(0)
    await expect.poll(() => models.left.length).toBe(2)
    await expect.poll(() => readTurns(daemon)).toMatchObject([{ status: 'aborted' }])
  })
})

describe('two simultaneous clients', () => {
  it('have a turn each, and ask the references once in a session for the same question', async () => {
    const daemon = await start()
    models.script('late', { text: 'Make a copy before anything else.', delay: 200 })
    const answers = await Promise.all([
      post(daemon, 'one', 'same question'),
      post(daemon, 'two', 'same question'),
      post(daemon, 'two', 'same question'),
    ])
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
    expect([asked('late').length, asked('acting').length]).toEqual([2, 3])
    await expect
      .poll(async () =>
        (await readTurns(daemon)).map(({ session_id, iterations }) => [session_id, iterations]).sort(),
      )
      .toEqual([
        ['one', 1],
        ['two', 2],
      ])
    await expect.poll(async () => (await readTraces(daemon, 'two')).length).toBe(2)
    const lines = await readTraces(daemon, 'two')
    expect(lines.map(({ references }) => references.length).sort()).toEqual([0, 2])
  })
})
