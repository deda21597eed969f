import { resolvePaths } from '@panoptes/engine/home'
import { openConfigSettings, openMoaSettings } from '@panoptes/engine/moa'
import { config } from '@panoptes/schema'
import { processorMs } from './live-process.ts'
import type { Gateway, Memory, Models, Preset } from './moa-processes.ts'
import { byFetch, byGateway, type Took, turns } from './moa-turns.ts'
import type { Report } from './report.ts'
import { median, round } from './statistics.ts'

type Part = Pick<Report, 'tables' | 'promises'>

export interface Stage {
  readonly gateway: Gateway
  readonly models: Models
  readonly presets: Readonly<Record<'real' | 'short', Preset>>
  readonly quick: boolean
}

const OVER_MS = 10
const TIMES = 1.5
const TRACED_MS = 2

const middle = (all: readonly Took[], of: keyof Took): number => median(all.map((took) => took[of]))

/**
 * Measures the time of a turn beyond its models, against the same calls by bare `fetch` in the same minutes.
 */
export async function overheadPart({ gateway, models, presets, quick }: Stage): Promise<Part> {
  const ways = { gateway: byGateway(gateway, 'real'), fetch: byFetch(models, presets.real) }
  const rounds = quick ? 1 : 5
  const overMs = Math.max(...presets.real.references) + presets.real.acting
  const rows: Record<string, string | number>[] = []
  const of = async (inFlight: number, each: number) => {
    const took: Record<keyof typeof ways, Took[]> = { gateway: [], fetch: [] }
    for (let n = 0; n < rounds; n += 1)
      for (const way of n % 2 === 0 ? (['gateway', 'fetch'] as const) : (['fetch', 'gateway'] as const))
        took[way].push(await turns(ways[way], models, { count: inFlight * each, inFlight, overMs }))
    for (const way of ['gateway', 'fetch'] as const)
      rows.push({
        'turns in flight': inFlight,
        by: way === 'gateway' ? 'the gateway' : 'bare fetch',
        'turn p50, ms': round(middle(took[way], 'turn')),
        'over its models p50, ms': round(middle(took[way], 'over')),
        'p95, ms': round(middle(took[way], 'over95')),
      })
    return took
  }
  await turns(ways.gateway, models, { count: 50, inFlight: 10, overMs })
  const ten = await of(10, 6)
  const fifty = await of(50, 3)
  const over = middle(ten.gateway, 'over')
  const [ours, bare] = [middle(fifty.gateway, 'turn'), middle(fifty.fetch, 'turn')]
  return {
    tables: [
      {
        title: `Turns of four references (${presets.real.references.join(', ')} ms) and one that acts (${presets.real.acting} ms), the median of ${rounds}`,
        rows,
      },
    ],
    promises: [
      {
        says: `with 10 turns in flight a turn takes under ${OVER_MS} ms over its slowest reference and the aggregator at p50`,
        holds: over < OVER_MS,
        measured: `${round(over)} ms; the same calls by bare fetch ${round(middle(ten.fetch, 'over'))} ms`,
      },
      {
        says: `with 50 in flight a turn takes no more than ${TIMES} times the same calls made by bare fetch`,
        holds: ours <= TIMES * bare,
        measured: `${round(ours)} ms against ${round(bare)} ms, ${round(ours / bare)} times; over the models ${round(middle(fifty.gateway, 'over'))} ms against ${round(middle(fifty.fetch, 'over'))} ms`,
      },
    ],
  }
}

/**
 * Measures the cost of traces: the time that the client waits, and the processor time of the daemon, which
 * other programs do not affect.
 */
export async function tracesPart({ gateway, models, quick }: Stage): Promise<Part> {
  const turn = byGateway(gateway, 'short')
  const count = quick ? 50 : 150
  const rounds = quick ? 1 : 5
  const measured = async (save: boolean) => {
    await gateway.trace(save)
    const before = processorMs(gateway.pid)
    const { over } = await turns(turn, models, { count, inFlight: 2 })
    return { over, processor: (processorMs(gateway.pid) - before) / count }
  }
  type Sample = Awaited<ReturnType<typeof measured>>
  const samples: Record<'off' | 'on' | 'off again', Sample[]> = { off: [], on: [], 'off again': [] }
  const names = Object.keys(samples) as (keyof typeof samples)[]
  for (let n = 0; n < rounds; n += 1)
    for (const name of n % 2 === 0 ? names : names.toReversed())
      samples[name].push(await measured(name === 'on'))
  await gateway.trace(false)
  const of = (name: keyof typeof samples, what: keyof Sample) =>
    median(samples[name].map((each) => each[what]))
  const off = nanosecondsOff()
  const noise = Math.abs(of('off', 'over') - of('off again', 'over'))
  const cost = of('on', 'over') - Math.min(of('off', 'over'), of('off again', 'over'))
  const processor = of('on', 'processor') - Math.min(of('off', 'processor'), of('off again', 'processor'))
  return {
    tables: [
      {
        title: `Writing turns down, 2 in flight, the median of ${rounds} rounds of ${count} turns`,
        rows: names.map((name) => ({
          traces: name,
          'over its models p50, ms': round(of(name, 'over')),
          'processor time of the daemon a turn, ms': round(of(name, 'processor')),
        })),
      },
    ],
    promises: [
      {
        says: `writing turns down costs under ${TRACED_MS} ms a turn`,
        // A busy machine affects waiting times much more than processor time.
        holds: processor < TRACED_MS && cost < TRACED_MS + noise,
        measured: `${round(processor)} ms of processor time, ${round(cost)} ms at p50, where two series without it are ${round(noise)} ms apart`,
      },
      {
        says: 'not writing them down costs nothing that can be measured',
        holds: off < UNSEEN_NS,
        measured: `${round(off)} ns a turn to see that it is off`,
      },
    ],
  }
}

const UNSEEN_NS = 1_000

/** While traces are off, a turn only checks the setting, twice. */
function nanosecondsOff(): number {
  const { moa } = config.parse({})
  const kept = openConfigSettings(resolvePaths({ PANOPTES_HOME: '/nowhere' }), moa)
  const { savesTraces } = openMoaSettings({ config: moa, kept, hermesHome: '/nowhere' })
  const looks = 1_000_000
  let seen = 0
  const start = performance.now()
  for (let n = 0; n < looks; n += 1) if (savesTraces()) seen += 1
  return seen > 0 ? Number.NaN : (2 * (performance.now() - start) * 1_000_000) / looks
}

const MOST_BYTES = 500
/**
 * The allowed growth of resident memory after as many turns again. How much memory V8 returns, and when,
 * varies.
 */
const MORE = 0.05

/**
 * Measures the memory of the daemon after this many turns, each in a new session. At the second mark, the
 * caches of the main thread are full: 8 MB of events after 1,700 turns, the agents of the last 2,500, the
 * advice of 500 sessions. At the last mark but one, the row caches of the store are full with 20,000 rows of
 * each kind, and rarely used threads have started.
 */
export async function memoryPart({ gateway, models, quick }: Stage): Promise<Part> {
  const turn = byGateway(gateway, 'short')
  const marks = quick ? [200, 400, 800, 1_200, 1_800] : [1_000, 3_000, 13_000, 20_000, 30_000]
  const began = performance.now()
  const found: (Memory & { readonly turns: number })[] = []
  let done = 0
  for (const mark of marks) {
    await turns(turn, models, { count: mark - done, inFlight: 20 })
    done = mark
    found.push({ turns: mark, ...(await gateway.memory()) })
  }
  const [, first, second, middle, last] = found
  if (!first || !second || !middle || !last) throw new Error('nothing was measured')
  const mb = (bytes: number) => round(bytes / 1_048_576)
  const each = (of: 'held' | 'all', from: typeof first, to: typeof first) =>
    (to[of] - from[of]) / (to.turns - from.turns)
  const more = last.rss / middle.rss - 1
  return {
    tables: [
      {
        title: `Memory after turns of a session each (${round((performance.now() - began) / 1_000)} s)`,
        rows: found.map((one) => ({
          turns: one.turns,
          threads: one.threads,
          'held by the main thread, MB': mb(one.held),
          'held by all threads, MB': mb(one.all),
          'in RAM, MB': mb(one.rss),
        })),
      },
    ],
    promises: [
      {
        says: `from ${first.turns} to ${second.turns} turns memory stays flat: under ${MOST_BYTES} bytes a turn`,
        holds: each('held', first, second) < MOST_BYTES,
        measured: `${round(each('held', first, second))} bytes a turn in the main thread, ${round(each('all', first, second))} in all`,
      },
      {
        says: `from ${middle.turns} to ${last.turns} turns all threads hold under ${MOST_BYTES} bytes a turn more, and the process has no more than ${MORE * 100} % more in RAM`,
        holds: each('all', middle, last) < MOST_BYTES && more <= MORE,
        measured: `${round(each('all', middle, last))} bytes a turn; in RAM ${mb(middle.rss)} and ${mb(last.rss)} MB, ${round(more * 100)} % more`,
      },
    ],
  }
}
