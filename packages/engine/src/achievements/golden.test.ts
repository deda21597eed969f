import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { generateHermesState } from '../../../../fixtures/hermes/generator/index.ts'
import { standing } from './achievement-items.ts'
import { type Aggregated, aggregate, type Contribution } from './aggregate.ts'
import { createCalendar } from './calendar.ts'
import { CATALOGUE } from './catalogue.ts'
import { openHermesHistory } from './hermes-history.ts'
import type { SessionValues } from './metrics.ts'

const FIXTURES = fileURLToPath(new URL('../../../../fixtures/hermes/', import.meta.url))

interface Golden {
  readonly achievements: readonly Record<string, unknown>[]
  readonly aggregate: Readonly<Record<string, number>>
  readonly sessions: readonly (SessionValues & {
    readonly session_id: string
    readonly title: string
    readonly last_active: number
  })[]
}

const golden = JSON.parse(readFileSync(join(FIXTURES, 'achievements-seed1.json'), 'utf8')) as Golden
const never = new AbortController().signal
let folder: string

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'panoptes-golden-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

async function contributionsOf(schema: 'current' | 'v11'): Promise<readonly Contribution[]> {
  const file = join(folder, `${schema}.db`)
  generateHermesState({ file, sessions: 200, messages: 40, seed: 1, schema })
  const history = openHermesHistory(file)
  const listed = await history.list(never)
  if ('ok' in listed) throw new Error(listed.message)
  const scanned = await history.scan(
    listed.sessions.filter(({ apart }) => !apart),
    never,
  )
  if ('ok' in scanned) throw new Error(scanned.message)
  const contributions = scanned.map((one) => {
    if ('ok' in one) throw new Error(one.message)
    expect(one.contribution.skipped).toBeUndefined()
    return one.contribution
  })
  history.close()
  return contributions
}

function aggregated(contributions: readonly Contribution[]): Aggregated {
  const calendar = createCalendar('UTC')
  if (!calendar.ok) throw new Error(calendar.message)
  return aggregate(contributions, calendar.value, CATALOGUE)
}

describe('evaluation compared with Hermes', () => {
  it('matches every value of every session, every sum and every achievement', async () => {
    const contributions = await contributionsOf('current')
    const told = contributions.map(({ session_id, title, last_at, values }) => ({
      session_id,
      title,
      last_active: last_at,
      ...values,
    }))
    const wanted = new Map(golden.sessions.map((one) => [one.session_id, one]))
    expect(told).toHaveLength(golden.sessions.length)
    for (const one of told) {
      const want = wanted.get(one.session_id)
      expect({ ...want, ...one, last_active: 0 }).toEqual({ ...want, last_active: 0 })
      expect(one.last_active).toBe(Math.round((want?.last_active ?? 0) * 1_000))
    }
    const { aggregate: sums, evidence } = aggregated(contributions)
    expect(sums).toEqual(golden.aggregate)
    for (const [at, achievement] of CATALOGUE.entries()) {
      const want = golden.achievements[at]
      const { id, category, kind } = achievement
      const now = { id, category, kind, ...standing(achievement, sums) }
      expect({ ...want, ...now }).toEqual(want)
      if (achievement.kind === 'best_session' && want?.evidence)
        expect(evidence[achievement.threshold_metric as keyof typeof evidence]).toEqual(want.evidence)
    }
  })

  it('counts the same rows of an older database without archived or rewound messages', async () => {
    const { aggregate: sums } = aggregated(await contributionsOf('v11'))
    expect(sums.session_count).toBe(225)
    expect(sums.total_tool_calls).toBeGreaterThanOrEqual(golden.aggregate.total_tool_calls ?? 0)
  })
})
