import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type AccountFilter, type EventStore, openSqliteStore } from '@panoptes/engine/store'
import { accountAt, endOf, latestProject, sessionsFor } from './ledger-data.ts'
import { ANSWERS } from './ledger-queries.ts'
import { openScan } from './ledger-scan.ts'
import { options, orThrow, publish, readLoad } from './report.ts'
import { median, quantile, round } from './statistics.ts'

const { quick } = options()
const ROUNDS = quick ? 1 : 5
const ASKS = quick ? 3 : 20
const [SMALL, LARGE] = quick ? [6_000, 30_000] : [1_000_000, 5_000_000]
const BATCH = 500
const [SMALL_MS, LARGE_MS] = [50, 100]
const folder = mkdtempSync(join(tmpdir(), 'panoptes-bench-ledger-'))

/** Stores the accounts from one number to another. Returns milliseconds per account. */
async function seed(file: string, from: number, to: number): Promise<number> {
  const store = orThrow(await openSqliteStore(file))
  let spent = 0
  for (let at = from; at < to; at += BATCH) {
    const accounts = Array.from({ length: Math.min(BATCH, to - at) }, (_, n) => accountAt(at + n))
    const start = performance.now()
    orThrow(await store.accounts.put(accounts))
    spent += performance.now() - start
  }
  await store.close()
  return spent / (to - from)
}

const FILTERS: Readonly<Record<string, (events: number) => AccountFilter>> = {
  everything: () => ({}),
  '30 days': (events) => ({ since: midnight(endOf(events), -30), until: midnight(endOf(events)) }),
  'one project': (events) => ({ project: latestProject(events) }),
  'one source': () => ({ source: 'hermes' }),
}

function midnight(ts: number, days = 0): number {
  const date = new Date(ts)
  return new Date(date.getFullYear(), date.getMonth(), date.getDate() + days).getTime()
}

interface Times {
  readonly p50: number
  readonly p95: number
}

async function timed(asks: number, ask: () => unknown): Promise<Times> {
  const times: number[] = []
  for (let n = 0; n < asks; n += 1) {
    const start = performance.now()
    await ask()
    times.push(performance.now() - start)
  }
  return { p50: quantile(times, 0.5), p95: quantile(times, 0.95) }
}

type Variant = 'small' | 'large' | 'scan'

/** Measures each answer once per round in each store, in turn, so that noise affects all of them equally. */
async function measure(small: EventStore, large: EventStore, scan: ReturnType<typeof openScan>) {
  const cases = ANSWERS.flatMap((answer) =>
    Object.entries(FILTERS).map(([named, filter]) => ({
      answer,
      named,
      filter,
      rounds: [] as Record<Variant, Times>[],
    })),
  )
  for (let n = 0; n < ROUNDS; n += 1)
    for (const { answer, filter, rounds } of cases) {
      const inSmall = () => timed(ASKS, async () => orThrow(await answer.ask(small.accounts, filter(SMALL))))
      const inLarge = () => timed(ASKS, async () => orThrow(await answer.ask(large.accounts, filter(LARGE))))
      const first = n % 2 === 0 ? await inSmall() : await inLarge()
      const second = n % 2 === 0 ? await inLarge() : await inSmall()
      const scanned = await timed(1, () => scan.ask(answer.name, filter(SMALL)))
      const [ofSmall, ofLarge] = n % 2 === 0 ? [first, second] : [second, first]
      rounds.push({ small: ofSmall, large: ofLarge, scan: scanned })
    }
  return cases.map(({ answer, named, rounds }) => {
    const of = (variant: Variant, share: keyof Times) => median(rounds.map((each) => each[variant][share]))
    return {
      answer: answer.name,
      of: named,
      small: { p50: of('small', 'p50'), p95: of('small', 'p95') },
      large: { p50: of('large', 'p50'), p95: of('large', 'p95') },
      scan: of('scan', 'p50'),
    }
  })
}

try {
  const load = readLoad()
  const [smallFile, largeFile] = [join(folder, 'small.db'), join(folder, 'large.db')]
  const putSmall = await seed(smallFile, 0, sessionsFor(SMALL))
  copyFileSync(smallFile, largeFile)
  const putLarge = await seed(largeFile, sessionsFor(SMALL), sessionsFor(LARGE))
  const scan = openScan(join(folder, 'scan.db'), smallFile)
  const small = orThrow(await openSqliteStore(smallFile))
  const large = orThrow(await openSqliteStore(largeFile))
  const measured = await measure(small, large, scan)
  const totals = orThrow(await small.accounts.totals({}))
  const [[scanned]] = scan.ask('totals', {}) as [[{ cost: number }]]
  await small.close()
  await large.close()
  scan.close()
  const worst = (of: 'small' | 'large') => measured.toSorted((a, b) => b[of].p95 - a[of].p95)[0]
  const [worstSmall, worstLarge] = [worst('small'), worst('large')]
  // Costs by day have one row per day, so they grow with the history. All other answers keep their size.
  const bounded = measured.filter(({ answer, of }) => of === '30 days' || answer !== 'costs by day and model')
  const growth = round(median(bounded.map((each) => each.large.p50 / each.small.p50)))
  const sums = bounded.map(({ small: s, large: l }) => [s.p50, l.p50] as const)
  const together = round(sums.reduce((sum, [, l]) => sum + l, 0) / sums.reduce((sum, [s]) => sum + s, 0))
  publish({
    name: 'ledger',
    tables: [
      {
        title: `Answers of the Ledger page in milliseconds, the median of ${ROUNDS} rounds of ${ASKS} (load ${load} before), against a scan of plain rows`,
        rows: measured.map(({ answer, of, small: s, large: l, scan: plain }) => ({
          answer,
          of,
          [`p50, ${SMALL} events`]: round(s.p50),
          [`p95, ${SMALL} events`]: round(s.p95),
          [`p50, ${LARGE} events`]: round(l.p50),
          [`p95, ${LARGE} events`]: round(l.p95),
          [`scan, ${SMALL} events`]: round(plain),
        })),
      },
      {
        title: `Putting an account, in batches of ${BATCH}`,
        rows: [
          { events: SMALL, sessions: sessionsFor(SMALL), 'ms/account': round(putSmall) },
          { events: LARGE, sessions: sessionsFor(LARGE), 'ms/account': round(putLarge) },
        ],
      },
    ],
    promises: [
      {
        says: `every answer at ${SMALL} events is there within ${SMALL_MS} ms (p95)`,
        holds: (worstSmall?.small.p95 ?? Number.NaN) < SMALL_MS,
        measured: `${round(worstSmall?.small.p95 ?? Number.NaN)} ms: ${worstSmall?.answer}, ${worstSmall?.of}`,
      },
      {
        says: `every answer at ${LARGE} events is there within ${LARGE_MS} ms (p95)`,
        holds: (worstLarge?.large.p95 ?? Number.NaN) < LARGE_MS,
        measured: `${round(worstLarge?.large.p95 ?? Number.NaN)} ms: ${worstLarge?.answer}, ${worstLarge?.of}`,
      },
      {
        says: 'answers that are no longer than they were take at most half as long again with five times the history',
        holds: together <= 1.5,
        measured: `all of them together ${together} times, the median ${growth} times`,
      },
      {
        says: 'what is kept adds up to what the rows do',
        holds: totals.cost_micro_usd === scanned.cost,
        measured: `${totals.cost_micro_usd} and ${scanned.cost} micro-dollars`,
      },
    ],
  })
} finally {
  rmSync(folder, { recursive: true, force: true })
}
