import type { Result } from '@panoptes/schema'
import { afterEach, describe, expect, it } from 'vitest'
import { usePostgres } from '../../../../../../e2e/setup/shared-servers.ts'
import { type OpenedIndex, value } from '../conformance/lab.ts'
import {
  type Chance,
  chance,
  randomChanges,
  randomId,
  randomSource,
  randomText,
  typedBy,
} from '../conformance/random-data.ts'
import type { SessionFilter, SessionIndex } from '../port.ts'
import { sqliteLab } from '../sqlite.test-kit.ts'
import { postgresLab } from './postgres.test-kit.ts'

usePostgres()
let both: readonly OpenedIndex[] = []

afterEach(async () => {
  for (const { index, remove } of both) {
    await index.close()
    await remove()
  }
})

/** Asks both engines the same and compares the answers. */
async function alike<T>(
  what: string,
  ask: (index: SessionIndex) => Promise<Result<T>>,
  form = (answer: T): unknown => answer,
) {
  const [sqlite, postgres] = await Promise.all(both.map(async ({ index }) => form(value(await ask(index)))))
  expect(postgres, what).toEqual(sqlite)
  return sqlite
}

const sorted = (list: readonly object[]): readonly string[] => list.map((each) => JSON.stringify(each)).sort()
const BY = ['source', 'project', 'day', 'model', 'tool'] as const

const randomFilter = (by: Chance): SessionFilter => {
  if (by.often(0.4)) return {}
  return by.one<SessionFilter>([
    { source: randomSource(by) },
    { project: 'notes' },
    { model: 'big' },
    { tool: 'Bash' },
    { id: randomId(by).slice(0, 2) },
    { since: 5 * 86_400_000, until: 15 * 86_400_000 },
    { errors: true },
    { min_cost_micro_usd: 500 },
    { of: Array.from({ length: 4 }, () => ({ source: randomSource(by), id: randomId(by) })) },
  ])
}

async function compare(by: Chance): Promise<number> {
  let hits = 0
  for (const source of ['claude-code', 'hermes'])
    await alike(
      'known',
      (index) => index.fingerprints(source),
      (fingerprints) => [...fingerprints].sort(),
    )
  await alike('hidden', (index) => index.hidden(), sorted)
  const page = { ...randomFilter(by), limit: 30, offset: by.below(5) }
  await alike('list', (index) => index.list(page))
  await alike('works', (index) => index.works(page))
  const [source, id] = [randomSource(by), randomId(by)]
  await alike('get', (index) => index.get(source, id))
  await alike('agents', (index) => index.agents(source, id))
  for (const group of BY) {
    const filter = randomFilter(by)
    await alike(`stats by ${group}`, (index) => index.stats(filter, group))
  }
  for (let n = 0; n < 12; n += 1) {
    const query = {
      text: typedBy(by),
      limit: by.one([5, 50, 1_000]),
      offset: by.one([0, 0, 7]),
      ...randomFilter(by),
    }
    const found = await alike(JSON.stringify(query), (index) => index.search(query))
    hits += (found as readonly unknown[]).length
  }
  for (let n = 0; n < 4; n += 1) {
    const text = randomText(by, 12)
    const except = by.one([undefined, { source, session_id: id, since: by.one([null, 25]) }])
    const query = { text, most: by.one([5, 40]), until: performance.now() + 60_000, except }
    await alike(`recall ${JSON.stringify(query)}`, (index) => index.recall(query))
  }
  return hits
}

describe.each([11, 12, 13])('both engines with the same data from seed %i', (seed) => {
  it('return the same answers in the same order', async () => {
    const by = chance(seed)
    both = await Promise.all([sqliteLab, postgresLab].map((lab) => lab.open({ messagesAPart: 150 })))
    let hits = 0
    for (let step = 0; step < 60; step += 1) {
      const changes = Array.from({ length: 1 + by.below(4) }, () => randomChanges(by)).flat()
      await alike('write', (index) => index.write(changes))
      if (by.often(0.05)) {
        const before = by.one([null, by.below(10) * 86_400_000])
        await alike('retain', (index) => index.retain(before))
      }
      if (by.often(0.1)) {
        const mark = `${by.below(3)}`
        await alike('repriced', (index) => index.repriced((model) => (model === 'big' ? mark : '')))
      }
      if (by.often(0.05)) {
        const sessions = [{ source: randomSource(by), id: randomId(by) }]
        await alike('forget', (index) => index.forget(sessions))
      }
      if (step % 4 === 0) hits += await compare(by)
    }
    expect(hits).toBeGreaterThan(1_000)
  })
})
