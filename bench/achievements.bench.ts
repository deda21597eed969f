import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { generateHermesState } from '../fixtures/hermes/generator/index.ts'
import { commandMemory, servedAchievements } from './achievements-daemon.ts'
import { publishedEngine } from './achievements-engine.ts'
import { differences, scans } from './achievements-scan.ts'
import { options, publish, readLoad } from './report.ts'
import { published } from './sessions-daemon.ts'
import { type History, makeHistory } from './sessions-data.ts'
import { median, quantile, round } from './statistics.ts'

const { quick } = options()
const rounds = quick ? 1 : 5
const FIXTURES = fileURLToPath(new URL('../fixtures/hermes/', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'panoptes-bench-achievements-'))

/**
 * Earlier measurements of unmodified code with the same kind of history. They take minutes, so they are not
 * repeated here.
 */
const BEFORE = {
  sessions: '5,000',
  'file, MB': '225',
  'cold, s': '178 to 249',
  'nothing written, ms': '1,700 to 3,400',
  'one session changed, ms': '2,600',
  'first partial result, ms': '9,700',
  'answer from a fresh cache, ms': '1 to 3',
  'most memory, MB': '207 to 294',
}

/** The history behind the golden result. */
function goldenHistory(): History {
  const home = join(folder, 'golden')
  mkdirSync(home)
  const file = join(home, 'state.db')
  generateHermesState({ file, sessions: 200, messages: 40, seed: 1 })
  return { home, file, sessions: 200, messages: 0 }
}

function sizeOf({ file, sessions, messages }: History) {
  const db = new DatabaseSync(file, { readOnly: true })
  const row = db
    .prepare(
      `SELECT total(octet_length(content)) + total(octet_length(tool_calls)) AS bytes,
         (SELECT count(*) FROM messages, json_each(tool_calls) WHERE json_valid(tool_calls)) AS calls FROM messages`,
    )
    .get()
  db.close()
  return {
    sessions,
    messages,
    'tool calls': Number(row?.calls),
    'text, MB': round(Number(row?.bytes) / 1_048_576),
    'file, MB': round(statSync(file).size / 1_048_576),
  }
}

try {
  const before = readLoad()
  const engine = await publishedEngine(folder)
  const command = await published(folder)
  const history = makeHistory(folder, quick)
  const half = makeHistory(join(folder, 'half'), quick, 0.5)
  const size = sizeOf(history)
  const golden = JSON.parse(readFileSync(join(FIXTURES, 'achievements-seed1.json'), 'utf8'))
  const different = await differences(engine, goldenHistory(), folder, golden)
  const small = await scans(engine, half, folder, rounds)
  const all = await scans(engine, history, folder, rounds)
  const daemon = await servedAchievements(history, command, rounds)
  const command_mb = await commandMemory(history, command)
  const after = readLoad()

  const times = all.cold / all.floor
  const doubled = all.cold / small.cold
  const calm = quantile(daemon.calm, 0.99)
  const during = quantile(daemon.during, 0.99)
  const partial = Math.max(...daemon.partial)
  const scan = (what: string, { cold, floor, nothing, touched, one }: typeof all) => ({
    what,
    'cold, s': round(cold),
    'floor, s': round(floor),
    'times the floor': round(cold / floor),
    'nothing written, ms': round(nothing),
    'something written, ms': round(touched),
    'one session changed, ms': round(one),
  })
  const answers = (what: string, ms: readonly number[]) => ({
    what,
    answers: ms.length,
    'p50, ms': round(quantile(ms, 0.5)),
    'p99, ms': round(quantile(ms, 0.99)),
    'worst, ms': round(quantile(ms, 1)),
  })
  publish({
    name: 'achievements',
    tables: [
      { title: 'The history', rows: [size] },
      {
        title: 'Before: the plugin of Hermes as it was, measured on a computer with two cores',
        rows: [BEFORE],
      },
      {
        title: `Scans, median of ${rounds}, against the same text read through node:sqlite and thrown away`,
        rows: [scan(`${history.sessions} sessions`, all), scan(`${half.sessions} sessions`, small)],
      },
      {
        title: 'GET /api/achievements of the daemon as it is published, ten in flight',
        rows: [answers('nothing is counted', daemon.calm), answers('during cold scans', daemon.during)],
      },
      {
        title: 'The daemon as it is published',
        rows: [
          {
            'cold scan meanwhile, ms': round(median(daemon.cold)),
            'first partial result, ms': round(partial),
            'scans that 200 requests at once started': daemon.started,
            'most memory, MB': round(daemon.memory_mb),
            'most memory of a command that counts, MB': round(command_mb),
          },
        ],
      },
      {
        title: 'Against the golden result',
        rows: [{ differences: different.length, 'the first of them': different.slice(0, 5).join() }],
      },
      {
        title: 'How busy the machine was, with all that ran on it',
        rows: [{ 'load before': before, after }],
      },
    ],
    promises: [
      {
        says: 'a cold scan takes at most 4 times the floor',
        holds: times <= 4,
        measured: `${round(times)} times`,
      },
      {
        says: 'a scan takes under 60 ms when the file did not change',
        holds: all.nothing < 60,
        measured: `${round(all.nothing)} ms`,
      },
      {
        says: 'a scan takes under 250 ms when the file changed and no session did',
        holds: all.touched < 250,
        measured: `${round(all.touched)} ms`,
      },
      {
        says: 'a scan takes under 300 ms when one session changed',
        holds: all.one < 300,
        measured: `${round(all.one)} ms`,
      },
      {
        says: 'answers take at most 3 times as long at p99 during a cold scan',
        holds: during <= 3 * calm,
        measured: `${round(during)} ms against ${round(calm)} ms`,
      },
      {
        says: '200 requests at once start one scan',
        holds: daemon.started === 1,
        measured: `${daemon.started}`,
      },
      {
        says: 'the first partial result is there within a second',
        holds: partial < 1_000,
        measured: `${round(partial)} ms`,
      },
      {
        says: 'a command that counts stays under 250 MB',
        holds: command_mb < 250,
        measured: `${round(command_mb)} MB`,
      },
      {
        says: 'memory of the whole daemon stays under 250 MB',
        holds: daemon.memory_mb < 250,
        measured: `${round(daemon.memory_mb)} MB`,
      },
      {
        says: 'twice the history takes twice the cold scan',
        holds: doubled < 2.4,
        measured: `${round(doubled)} times`,
      },
      {
        says: 'twice the history leaves the warm scan as it is',
        holds: all.nothing < small.nothing + 20,
        measured: `${round(all.nothing)} ms against ${round(small.nothing)} ms`,
      },
      {
        says: 'what is counted equals the golden result',
        holds: different.length === 0,
        measured: `${different.length} differences`,
      },
    ],
  })
} finally {
  rmSync(folder, { recursive: true, force: true })
}
