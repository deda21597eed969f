import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createPrices } from '@panoptes/engine/models'
import { openSources } from '@panoptes/engine/sources'
import { type NewEvent, success } from '@panoptes/schema'
import { describe, expect, it, onTestFinished } from 'vitest'
import { addPrice, createCapture } from './capture.ts'
import { createAgentFiles } from './claude-code/agent-files.ts'
import { createTranscriptReader } from './claude-code/transcript.ts'
import { newState } from './claude-code/transcript-state.ts'

const FIXTURES = fileURLToPath(new URL('../../../../fixtures', import.meta.url))
const prices = createPrices({ 'own-model': { input: 2, output: 4 } })

const usage = (more: Partial<NewEvent>): NewEvent => ({
  ...{ v: 1, key: 'k', ts: Date.UTC(2026, 10, 17), event: 'usage', source: 's', host: 'h', session_id: 'i' },
  ...{ model: 'claude-opus-4-8', input: 1_000, output: 100 },
  ...more,
})

describe('a reply without a price', () => {
  it('gets the price of its model, including one-hour cache writes', () => {
    expect(addPrice(usage({}), prices)).toMatchObject({ cost_usd: 0.0075, cost_status: 'estimated' })
    expect(addPrice(usage({ model: 'own-model' }), prices)).toMatchObject({ cost_usd: 0.0024 })
    const [short, long] = [0, 1_000].map(
      (cache_write_1h) => addPrice(usage({ cache_write: 1_000, cache_write_1h }), prices).cost_usd,
    )
    expect([short, long]).toEqual([0.01375, 0.0175])
  })

  it('stays unknown without a model, tokens or a price, and when the sender says unknown', () => {
    for (const more of [{ model: undefined }, { model: 'nobody-knows' }, { output: undefined }])
      expect(addPrice(usage(more), prices)).not.toHaveProperty('cost_usd')
    expect(addPrice(usage({ cost_status: 'unknown' }), prices)).not.toHaveProperty('cost_usd')
    expect(addPrice(usage({}), undefined)).not.toHaveProperty('cost_usd')
  })

  it('keeps the reported price', () => {
    expect(addPrice(usage({ cost_usd: 0 }), prices)).toEqual(usage({ cost_usd: 0 }))
  })
})

/** Every recorded folder of transcripts. */
const RECORDED: readonly string[] = [
  'claude-code/transcripts/-home-dev-notes',
  ...readdirSync(join(FIXTURES, 'recordings')).map((name) => `recordings/${name}/transcripts`),
].filter((folder) => existsSync(join(FIXTURES, folder)))

it.each(RECORDED)('prices every recorded reply as Sessions does: %s', async (name) => {
  const folder = join(FIXTURES, name)
  const sessions = await sessionPrices(folder)
  const live = new Map(
    readdirSync(folder)
      .filter((file) => file.endsWith('.jsonl'))
      .flatMap((file) => livePrices(join(folder, file))),
  )
  expect(sessions.size).toBeGreaterThan(0)
  expect(new Map([...live].sort())).toEqual(new Map([...sessions].sort()))
})

/** Returns the micro-dollars of each reply by its id. */
async function sessionPrices(folder: string): Promise<ReadonlyMap<string, number | null>> {
  const home = mkdtempSync(join(tmpdir(), 'panoptes-priced-'))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  cpSync(folder, join(home, 'projects', '-home-dev-notes'), { recursive: true })
  const source = openSources({ HOME: home, CLAUDE_CONFIG_DIR: home }).find(
    ({ name }) => name === 'claude-code',
  )
  const found = new Map<string, number | null>()
  for await (const listed of source?.list() ?? [])
    if (listed.kind === 'listed')
      for await (const record of source?.read(listed) ?? []) {
        if (record.kind !== 'message') continue
        const { id, role, model, usage, ts } = record.message
        if (role === 'assistant' && model !== null && usage !== null)
          found.set(id, prices.costOf(model, usage, ts))
      }
  return found
}

function livePrices(path: string): readonly (readonly [string, number | null])[] {
  const session = basename(path, '.jsonl')
  const agents = join(dirname(path), session, 'subagents')
  const names = existsSync(agents) ? readdirSync(agents).filter((name) => name.endsWith('.jsonl')) : []
  const files = [{ path, agent: undefined as string | undefined }].concat(
    names.map((name) => ({ path: join(agents, name), agent: name.slice('agent-'.length, -'.jsonl'.length) })),
  )
  const capture = createCapture({ host: 'h', findAgents: async () => success(new Map()), prices })
  const events = files.flatMap(({ path: file, agent }) => {
    const of = { session, agent, agentType: undefined, path, whole: true }
    const reader = createTranscriptReader(of, newState(), createAgentFiles('claude-code'), 0)
    return readFileSync(file, 'utf8')
      .split('\n')
      .filter(Boolean)
      .flatMap((line) => capture.written(reader.read(line)))
  })
  return events
    .filter(({ event }) => event === 'usage')
    .map(({ id, cost_usd }) => [
      String(id),
      typeof cost_usd === 'number' ? Math.round(cost_usd * 1_000_000) : null,
    ])
}
