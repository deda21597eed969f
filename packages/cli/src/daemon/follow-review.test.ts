import { cpSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createHome, type Paths, resolvePaths } from '@panoptes/engine/home'
import {
  type AgentAccount,
  type Claim,
  config,
  type HealthCheck,
  type LedgerOverview,
  type SkillUse,
} from '@panoptes/schema'
import { describe, expect, it, onTestFinished } from 'vitest'
import { forget } from '../commands/sessions/forget.ts'
import { saidIn } from '../commands/sessions/sessions.test-kit.ts'
import { type Panoptes, startPanoptes } from './start.ts'

const FIXTURES = resolve(import.meta.dirname, '../../../../fixtures/claude-code')
const RUNS = {
  parallel: 'ea691ccd-8a96-4a2d-838e-68211d44554b',
  files: '290c6983-b1d2-452e-90b9-d7d4909083e0',
  skill: '03c5563d-ef2d-4b7e-a401-fe41f97cec2b',
} as const
const BACKGROUND = '92328504-f995-4355-a7ac-d00474e19cc4'

interface Home {
  readonly folder: string
  readonly paths: Paths
  readonly projects: string
}

async function makeHome(): Promise<Home> {
  const folder = mkdtempSync(join(tmpdir(), 'panoptes-follow-review-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
  const paths = resolvePaths({ PANOPTES_HOME: join(folder, 'home') })
  await createHome(paths)
  mkdirSync(paths.spool, { recursive: true })
  return { folder, paths, projects: join(folder, '.claude', 'projects') }
}

async function start({ folder, paths }: Home, env: NodeJS.ProcessEnv = {}): Promise<Panoptes> {
  const panoptes = await startPanoptes({
    paths,
    env: { HOME: folder, ...env },
    config: config.parse({ log: { level: 'silent' } }),
    host: '127.0.0.1',
    port: 0,
    allowRemote: false,
    reviewPacing: { settleMs: 20, restMs: 50, retryMs: 200, journalRestMs: 100 },
    page: Promise.resolve({ folder: null, problem: null }),
    onStop: () => undefined,
  })
  let closing: Promise<void> | undefined
  const close = () => {
    closing ??= panoptes.close()
    return closing
  }
  onTestFinished(close)
  return { ...panoptes, close }
}

interface Payload {
  readonly session_id: string
}

const linesOf = (file: string): readonly string[] => readFileSync(file, 'utf8').split('\n').filter(Boolean)
const payloadsOf = (run: string): readonly Payload[] =>
  linesOf(join(FIXTURES, 'hooks', `${run}.jsonl`)).map((line) => JSON.parse(line))

let clock = Date.UTC(2026, 10, 15, 8, 7, 40)

/** Sends the payloads as the hook script does, each this many times. */
function fire({ paths }: Home, payloads: readonly object[], times = 1): void {
  for (const payload of payloads)
    for (let time = 0; time < times; time += 1) {
      clock += 1
      const name = `claude-code.${clock}000000.${time}`
      writeFileSync(join(paths.spool, `.${name}.part`), JSON.stringify(payload))
      renameSync(join(paths.spool, `.${name}.part`), join(paths.spool, `${name}.json`))
    }
}

const rowsOf = (file: string): readonly Record<string, unknown>[] => {
  try {
    return linesOf(file).map((line) => JSON.parse(line))
  } catch {
    return []
  }
}

const journals = ({ paths }: Home) => ({
  agents: rowsOf(join(paths.journals, 'agent-toolstats.jsonl')),
  claims: rowsOf(join(paths.journals, 'numeric-claims.jsonl')),
})

async function kept({ store }: Panoptes) {
  const [agents, claims, skills] = await Promise.all([
    store.accounts.agents({ limit: 1_000 }),
    store.accounts.claims({ limit: 1_000 }),
    store.accounts.skillUses({ limit: 1_000 }),
  ])
  if (!agents.ok || !claims.ok || !skills.ok) throw new Error('nothing is kept')
  return { agents: agents.value.rows, claims: claims.value.rows, skills: skills.value.rows }
}

const face = ({
  agent_id,
  outcome,
  stubs,
  tool_stats,
  tokens_in,
  tokens_out,
  cache_read,
  cache_write,
}: AgentAccount) => [
  agent_id.slice(0, 4),
  outcome,
  stubs,
  tool_stats,
  [tokens_in, tokens_out, cache_read, cache_write],
]
const rowFace = (row: Record<string, unknown>) => face(row as unknown as AgentAccount)
const said = ({ value, evidence_tier, pointer }: Pick<Claim, 'value' | 'evidence_tier' | 'pointer'>) => [
  evidence_tier,
  value,
  pointer,
]
const used = ({ skill, success, how }: SkillUse) => [skill, success, how]

/** The usage of reply k: 100 + k input, 42 output, 50 k cache read and 7 cache write tokens. */
const spent = (replies: number) => {
  const sum = (of: (k: number) => number) =>
    Array.from({ length: replies }, (_, k) => of(k)).reduce((a, b) => a + b, 0)
  return [sum((k) => 100 + k), 42 * replies, sum((k) => 50 * k), 7 * replies]
}
const UNKNOWN = [null, null, null, null]

const agentsOf = (replies: (count: number) => readonly (number | null)[], grep: object) => [
  ['a24c', null, null, { Read: 1, ...grep }, replies(3)],
  ['a74b', 'functional', 0, { Bash: 1, Read: 1 }, replies(3)],
  ['abc9', 'partial', 2, { Bash: 2 }, replies(2)],
  ['main', null, null, { Agent: 3, Bash: 1 }, replies(3)],
]
const mainsOf = (replies: (count: number) => readonly (number | null)[], more: object) => [
  ['main', null, null, { Read: 1, Edit: 1, Write: 1, ...more }, replies(5)],
  ['main', null, null, { Skill: 1, Bash: 1 }, replies(3)],
]
const CLAIMS = [
  ['ESTIMATE-HTC', 'and a full run takes about 5 minutes', 'similar-project'],
  ['FROM-JOURNAL', '; last week it was 12 tests', 'time-metrics#42'],
  ['REAL', 'Edited two files. Build took 3.2 s', 'bash:toolu_x'],
]

const byText = (a: unknown, b: unknown) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)

/** The expected counts after three sessions with six agents ended. */
async function settled(home: Home, panoptes: Panoptes, agents = 6, claims = 3) {
  await expect.poll(() => journals(home).agents.length).toBe(agents)
  await expect.poll(() => journals(home).claims.length).toBe(claims)
  return kept(panoptes)
}

const placeTranscripts = ({ projects }: Home) =>
  cpSync(join(FIXTURES, 'transcripts'), projects, {
    recursive: true,
    filter: (path) => !path.includes('30d748bb'),
  })

async function expectRuns(home: Home, panoptes: Panoptes, hooksAlone: boolean): Promise<void> {
  await settled(home, panoptes)
  const replies = hooksAlone ? () => UNKNOWN : spent
  const expected = [
    // A call of a tool that the client does not have fires no hook.
    ...agentsOf(replies, hooksAlone ? {} : { Grep: 1 }),
    ...mainsOf(replies, hooksAlone ? {} : { Glob: 1, Grep: 1 }),
  ].sort(byText)
  await expect.poll(() => journals(home).agents.map(rowFace).sort(byText)).toEqual(expected)
  const { agents, claims, skills } = await kept(panoptes)
  expect(agents.map(face).sort(byText)).toEqual(expected)
  expect(agents.every(({ finished }) => finished)).toBe(true)
  expect(claims.map(said).sort(byText)).toEqual(CLAIMS)
  expect(
    journals(home)
      .claims.map((row) => said(row as never))
      .sort(byText),
  ).toEqual(CLAIMS)
  expect(journals(home).claims.map(({ kind, session_id }) => [kind, session_id])).toEqual(
    CLAIMS.map(() => ['claim', RUNS.files]),
  )
  expect(skills.map(used)).toEqual([['tidy', true, 'call']])
}

describe('the outcomes of the recorded runs', () => {
  it.each([1, 2])(
    'match the expected rows from hooks alone, with each hook fired %i times',
    async (times) => {
      const home = await makeHome()
      for (const run of Object.keys(RUNS)) fire(home, payloadsOf(run), times)
      await expectRuns(home, await start(home), true)
    },
  )

  it('match the expected rows from transcripts alone', async () => {
    const home = await makeHome()
    placeTranscripts(home)
    await expectRuns(home, await start(home), false)
  })

  it('match the expected rows from hooks fired twice and transcripts, also after a restart', async () => {
    const home = await makeHome()
    placeTranscripts(home)
    for (const run of Object.keys(RUNS)) fire(home, payloadsOf(run), 2)
    const panoptes = await start(home)
    await expectRuns(home, panoptes, false)
    const before = journals(home)
    await panoptes.close()
    for (const run of Object.keys(RUNS)) fire(home, payloadsOf(run), 1)
    await expectRuns(home, await start(home), false)
    expect(journals(home)).toEqual(before)
  })

  it('come from transcripts instead of hooks when the transcripts arrive later', async () => {
    const home = await makeHome()
    for (const run of Object.keys(RUNS)) fire(home, payloadsOf(run))
    const panoptes = await start(home)
    await expectRuns(home, panoptes, true)
    placeTranscripts(home)
    await expect.poll(() => journals(home).agents.every((row) => row.tokens_in !== null)).toBe(true)
    await expectRuns(home, panoptes, false)
  })

  it('include background agents from hooks fired twice, but only after the agents end', async () => {
    const home = await makeHome()
    const payloads = payloadsOf('parallel-background')
    const launched = payloads.findIndex(
      (payload) => (payload as { hook_event_name?: string }).hook_event_name === 'SubagentStop',
    )
    const panoptes = await start(home)
    fire(home, payloads.slice(0, launched), 2)
    await expect
      .poll(async () => {
        const found = await panoptes.store.accounts.agents({ limit: 10, all: true })
        return found.ok ? found.value.total : 0
      })
      .toBe(4)
    expect(journals(home).agents).toEqual([])
    fire(home, payloads.slice(launched), 2)
    const { agents } = await settled(home, panoptes, 4, 0)
    expect(agents.map(({ outcome, stubs }) => [outcome, stubs]).sort(byText)).toEqual([
      ['functional', 0],
      ['partial', 2],
      [null, null],
      [null, null],
    ])
  })

  it('have one row per agent of a session with background agents', async () => {
    const home = await makeHome()
    const from = join(FIXTURES, 'both', 'background')
    const to = join(home.projects, '-home-dev-notes')
    cpSync(join(from, 'main.jsonl'), join(to, `${BACKGROUND}.jsonl`))
    cpSync(join(from, 'subagents'), join(to, BACKGROUND, 'subagents'), { recursive: true })
    fire(
      home,
      linesOf(join(from, 'hooks.jsonl')).map((line) => JSON.parse(line).payload),
      2,
    )
    const panoptes = await start(home)
    const { agents } = await settled(home, panoptes, 4, 0)
    expect(agents.map(({ agent_id }) => agent_id).sort()).toEqual([
      'a0b7c7c8b9c0af91a',
      'a9bd6a0423146133c',
      'ad6a220e33c3377ac',
      'main',
    ])
    expect(
      journals(home).agents.every(
        ({ tokens_in, session_id }) => tokens_in !== null && session_id === BACKGROUND,
      ),
    ).toBe(true)
  })
})

describe('the journals of a home', () => {
  it.each(['a running daemon', 'the command alone'])(
    'lose the lines of sessions that %s forgets',
    async (who) => {
      const home = await makeHome()
      placeTranscripts(home)
      const panoptes = await start(home)
      await expectRuns(home, panoptes, false)
      if (who !== 'a running daemon') await panoptes.close()
      const { context, document } = saidIn(home.folder)
      await forget({ ...context, paths: home.paths }, RUNS.files, { yes: true })
      expect(document()).toMatchObject({
        removed: expect.arrayContaining([{ from: 'journals', what: 'lines', count: 4 }]),
      })
      expect(journals(home).claims).toEqual([])
      expect(journals(home).agents.map(({ session_id }) => session_id)).not.toContain(RUNS.files)
      expect(journals(home).agents.length).toBe(5)
    },
  )

  it('report a problem while they cannot be written, and are written afterwards', async () => {
    const home = await makeHome()
    placeTranscripts(home)
    writeFileSync(home.paths.journals, 'in the way')
    const panoptes = await start(home)
    const token = readFileSync(join(home.paths.tokens, 'full'), 'utf8').trim()
    const ask = async <T>(path: string): Promise<T> => {
      const headers = { authorization: `Bearer ${token}` }
      return (await (await fetch(`${panoptes.server.address}${path}`, { headers })).json()) as T
    }
    // /api/health caches its reply for some seconds, so the test requests it only after the problem exists.
    await expect
      .poll(async () => (await ask<LedgerOverview>('/api/ledger/overview')).reading)
      .toMatchObject({ state: 'idle', problem: expect.stringContaining(home.paths.journals) })
    const { checks } = await ask<{ readonly checks: readonly HealthCheck[] }>('/api/health')
    expect(checks.find(({ id }) => id === 'ledger-reading')).toMatchObject({ state: 'warning' })
    rmSync(home.paths.journals)
    await expectRuns(home, panoptes, false)
  }, 60_000)
})
