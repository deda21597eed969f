import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ScriptedServer, startScripted } from '@panoptes/engine/testing/scripted-models'
import type { MoaTurn, TurnDiff } from '@panoptes/schema'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { makeContext } from '../../context.ts'
import { EXIT } from '../../failure.ts'
import { diff } from './diff.ts'
import { presets } from './presets.ts'
import { replay, run } from './run.ts'
import { traces } from './traces.ts'
import { turns } from './turns.ts'

const MAIN = join(import.meta.dirname, '..', '..', 'main.ts')

let scripted: ScriptedServer
let home = ''
beforeAll(async () => {
  scripted = await startScripted()
  home = mkdtempSync(join(tmpdir(), 'panoptes-moa-cli-'))
  const slot = (model: string) => `{ provider: local, model: ${model} }`
  mkdirSync(join(home, '.panoptes'))
  writeFileSync(
    join(home, '.panoptes', 'config.yaml'),
    `providers: { local: { kind: openai, base_url: "${scripted.url}/v1", retries: 0 } }
moa:
  save_traces: true
  presets:
    p: { reference_models: [${slot('a')}, ${slot('b')}], aggregator: ${slot('act')} }
    hang: { reference_models: [${slot('hang')}], aggregator: ${slot('act')} }
    bad: { aggregator: ${slot('bad')} }
`,
  )
  scripted.script('a', { text: 'take a backup' })
  scripted.script('b', { text: 'rename it' })
  scripted.script('act', { text: 'yes, rename it', pieces: 5 })
  scripted.script('other', { text: 'no, keep it' })
  scripted.script('hang', { hangs: true })
  scripted.script('bad', { status: 401 })
})
afterAll(async () => {
  await scripted.close()
  rmSync(home, { recursive: true, force: true })
})

/** Creates the context for a command in a home and collects its output. */
function typed(at = home) {
  const made = makeContext([], { HOME: at, PANOPTES_HOME: join(at, '.panoptes') })
  const said = { text: '', notes: '', document: {} as unknown }
  const output = {
    ...made.output,
    piece: (text: string) => {
      said.text += text
    },
    note: (line: string) => {
      said.notes += `${line}\n`
    },
    answer: (lines: readonly string[], document: object) => {
      said.text += lines.join('\n')
      said.document = document
    },
  }
  return { said, context: { ...made, output } }
}

const ALL = { limit: 50, offset: 0 }

async function listed(at = home): Promise<readonly MoaTurn[]> {
  const { said, context } = typed(at)
  await turns(context, ALL)
  return (said.document as { turns: MoaTurn[] }).turns
}

describe('panoptes moa, without a daemon', () => {
  it('runs a preset with its answer on stdout and its progress on stderr', async () => {
    const { said, context } = typed()
    await run(context, ['may', 'I?'], { preset: 'p' })
    expect(said.text).toBe('yes, rename it\n')
    expect(said.notes).toMatch(/2\/2 local:[ab]\n/)
    expect(said.notes).toMatch(/turn [0-9a-f]{8} · 2 references/)
    expect(said.document).toMatchObject({
      text: 'yes, rename it',
      references: [{ label: 'local:a', text: 'take a backup' }, { text: 'rename it' }],
      turn: { preset: 'p', from: 'run', status: 'done', traced: true, question: 'may I?' },
    })
  })

  it('lists turns and traces, replays a turn and compares both', async () => {
    const [turn] = await listed()
    if (turn === undefined) throw new Error('no turn')
    const { said, context } = typed()
    await traces(context, undefined, { limit: 10 })
    expect(said.document).toMatchObject({ sessions: [{ session_id: turn.session_id }] })
    await traces(context, turn.session_id.slice(0, 12), { limit: 10 })
    expect(said.document).toMatchObject({ records: [{ turn_id: turn.id }], older: 0 })
    const again = typed()
    await replay(again.context, turn.id.slice(0, 8), { aggregator: 'local/other', without: 'local:a' })
    expect(again.said.text).toBe('no, keep it\n')
    expect((await listed()).map(({ replay_of }) => replay_of)).toEqual([turn.id, null])
    const compared = typed()
    await diff(compared.context, turn.id, {})
    const { references } = compared.said.document as TurnDiff
    expect(references.map(({ change }) => change)).toEqual(['removed', 'same'])
    expect(compared.said.text).toContain('[-yes-]{+no+}, [-rename-]{+keep+} it')
  })

  it('shows which calls of a turn and its replay failed, and why', async () => {
    const began = typed()
    scripted.script('a', { status: 401 })
    scripted.script('act', { status: 429 })
    await run(began.context, ['and now?'], { preset: 'p', session: 'failing' }).catch(() => undefined)
    scripted.script('act', { text: 'yes, rename it', pieces: 5 })
    const [turn] = await listed()
    if (turn === undefined) throw new Error('no turn')
    await replay(typed().context, turn.id, {})
    scripted.script('a', { text: 'take a backup' })
    const { said, context } = typed()
    await diff(context, turn.id, {})
    expect(said.text).toMatch(/before .* failed: rate_limited/)
    expect(said.text).toMatch(/after .* done/)
    expect(said.text).toMatch(/! local:a {2}\S+ ms auth → \S+ ms auth/)
    expect(said.text).toContain('  before, rate_limited: ')
    expect(said.document).toMatchObject({
      before: { status: 'failed' },
      error: { before: { class: 'rate_limited' }, after: null },
      references: [{ change: 'unanswered' }, { change: 'same' }],
    })
  })

  it('explains why a turn without a trace cannot be replayed', async () => {
    const at = mkdtempSync(join(tmpdir(), 'panoptes-moa-lost-'))
    onTestFinished(() => rmSync(at, { recursive: true, force: true }))
    mkdirSync(join(at, '.panoptes'))
    writeFileSync(join(at, 'file'), 'no folder')
    writeFileSync(
      join(at, '.panoptes', 'config.yaml'),
      `providers: { local: { kind: openai, base_url: "${scripted.url}/v1", api_key_env: THE_KEY } }
moa:
  save_traces: true
  trace_dir: ~/file
  presets: { p: { aggregator: { provider: local, model: act } } }
`,
    )
    const { context } = typed(at)
    await run(context, ['may I?'], {})
    const [turn] = await listed(at)
    expect(turn).toMatchObject({ traced: false, trace_problem: expect.stringMatching(/EEXIST|ENOTDIR/) })
    const refused = await replay(context, turn?.id ?? '', {}).catch((error: unknown) => error)
    expect(refused).toMatchObject({ message: expect.stringContaining(turn?.trace_problem ?? 'nothing') })
  })

  it('lists presets with their models and marks the default', async () => {
    const other = mkdtempSync(join(tmpdir(), 'panoptes-moa-presets-'))
    onTestFinished(() => rmSync(other, { recursive: true, force: true }))
    mkdirSync(join(other, '.panoptes'))
    const slot = '{ provider: local, model: a }'
    writeFileSync(
      join(other, '.panoptes', 'config.yaml'),
      `providers: { local: { kind: openai, base_url: "${scripted.url}/v1" } }
moa:
  default_preset: q
  presets:
    p: { reference_models: [${slot}, { provider: local, model: b, enabled: false }], aggregator: ${slot}, quorum: 1 }
    q: { enabled: false, aggregator: ${slot} }
`,
    )
    const { said, context } = typed(other)
    await presets(context)
    expect(said.text).toMatch(
      /^p\n +asks +local:a\n +asks +local:b \(off\)\n +acts +local:a\n +fan-out +\S+, quorum 1\nq \(default\)\n +acts +local:a\n +fan-out +off\n/,
    )
    expect(said.text).toContain('Traces are not saved')
  })

  it('explains unknown presets and turns, and failed models', async () => {
    const { context } = typed()
    const failing = (work: Promise<void>) => work.catch((error: unknown) => error)
    expect(await failing(run(context, ['x'], { preset: 'bad' }))).toMatchObject({
      code: 'auth',
      exit: EXIT.failed,
      message: expect.stringContaining('local:bad'),
    })
    expect(await failing(run(context, ['x'], { preset: 'none' }))).toMatchObject({
      message: expect.stringContaining('Available: p, hang, bad'),
    })
    expect(await failing(run(context, [' '], {}))).toMatchObject({ exit: EXIT.usage })
    expect(await failing(replay(context, 'zzz', {}))).toMatchObject({ code: 'not_found' })
    expect(await failing(diff(context, 'zzz', {}))).toMatchObject({ code: 'not_found' })
    expect(await failing(traces(context, 'zzz', { limit: 1 }))).toMatchObject({ code: 'not_found' })
  })

  it('creates no files to list turns or presets in an empty home', async () => {
    const empty = mkdtempSync(join(tmpdir(), 'panoptes-moa-none-'))
    onTestFinished(() => rmSync(empty, { recursive: true, force: true }))
    expect(await listed(empty)).toEqual([])
    const { said, context } = typed(empty)
    await presets(context)
    expect(said.text).toContain('No presets yet')
    expect(readdirSync(empty)).toEqual([])
  })

  it('stops every call at once on Ctrl-C, exits with 130 and stores the turn', async () => {
    const child = spawn(process.execPath, [MAIN, 'moa', 'run', '--preset', 'hang', 'x'], {
      env: { PATH: process.env.PATH, HOME: home, PANOPTES_HOME: join(home, '.panoptes') },
    })
    const ended = new Promise((done) => child.on('close', done))
    const isAsked = () => scripted.requests.some(({ text }) => text.includes('"hang"'))
    await expect.poll(isAsked, { timeout: 30_000, interval: 10 }).toBe(true)
    const at = performance.now()
    child.kill('SIGINT')
    expect(await ended).toBe(EXIT.interrupted)
    await expect.poll(() => scripted.left.length).toBe(1)
    expect((scripted.left[0] ?? 0) - at).toBeLessThan(5_000)
    expect((await listed())[0]).toMatchObject({ preset: 'hang', status: 'aborted' })
  })
})
