import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { options, publish, readLoad } from './report.ts'
import { served } from './sessions-daemon.ts'
import { makeHistory, questions } from './sessions-data.ts'
import { firstIndex, refreshes, textOf } from './sessions-index.ts'
import { quantile, round } from './statistics.ts'

const { quick } = options()
const rounds = quick ? 1 : 5
const folder = mkdtempSync(join(tmpdir(), 'panoptes-bench-sessions-'))

try {
  const history = makeHistory(folder, quick)
  const before = readLoad()
  const first = await firstIndex(history, folder, rounds)
  const text = textOf(history)
  const again = await refreshes(history, folder, rounds)
  const asked = questions(history.file, quick ? 6 : 40)
  const daemon = await served(history, folder, asked)
  const after = readLoad()

  const times = first.seconds / first.floor
  const share = first.index_mb / text
  const delay = quantile(daemon.delays, 0.99)
  const found = quantile(
    daemon.answers.map(({ ms }) => ms),
    0.95,
  )
  const memory = Math.max(daemon.index_mb, daemon.search_mb)
  publish({
    name: 'sessions',
    tables: [
      {
        title: `First index of ${history.sessions} sessions with ${history.messages} messages, median of ${rounds}, against the same rows read and thrown away`,
        rows: [
          { what: 'first index', seconds: round(first.seconds), 'times the floor': round(times) },
          { what: 'floor: the columns that are read', seconds: round(first.floor), 'times the floor': 1 },
          {
            what: 'whole rows as objects',
            seconds: round(first.wholeRows),
            'times the floor': round(first.wholeRows / first.floor),
          },
        ],
      },
      {
        title: 'Size of the index',
        rows: [{ 'text, MB': round(text), 'index, MB': round(first.index_mb), share: round(share) }],
      },
      {
        title: `Refresh, median of ${rounds}`,
        rows: [
          { what: 'nothing was written', ms: round(again.nothing) },
          { what: 'something was written, no session changed', ms: round(again.touched) },
          { what: 'one session changed', ms: round(again.one) },
        ],
      },
      {
        title: 'The daemon as it is published, from its start',
        rows: [
          {
            'until all is indexed, s': round(daemon.seconds),
            'most memory meanwhile, MB': round(daemon.index_mb),
            'most memory in the searches, MB': round(daemon.search_mb),
            'delay of the event loop p50, ms': round(quantile(daemon.delays, 0.5)),
            'p99, ms': round(delay),
            'worst, ms': round(quantile(daemon.delays, 1)),
            'times looked': daemon.delays.length,
          },
        ],
      },
      {
        title: `GET /api/past/search with ${asked.length} different queries, twenty hits and the words around them`,
        rows: Object.entries(Object.groupBy(daemon.answers, ({ kind }) => kind)).map(
          ([kind, answers = []]) => {
            const ms = answers.map((answer) => answer.ms)
            return {
              kind,
              queries: ms.length,
              'p50, ms': round(quantile(ms, 0.5)),
              'p95, ms': round(quantile(ms, 0.95)),
              'worst, ms': round(quantile(ms, 1)),
              'without a hit': answers.filter((answer) => answer.found === 0).length,
              'hits without words around': answers.reduce((sum, { blank }) => sum + blank, 0),
            }
          },
        ),
      },
      {
        title: 'How busy the machine was, with all that ran on it',
        rows: [{ 'load before': before, after }],
      },
    ],
    promises: [
      {
        says: 'a first index takes at most 10 times the floor',
        holds: times <= 10,
        measured: `${round(times)} times`,
      },
      {
        says: 'the index is under 60 % of its text',
        holds: share < 0.6,
        measured: `${round(share * 100)} %`,
      },
      {
        says: 'a refresh takes under 100 ms when nothing changed',
        holds: Math.max(again.nothing, again.touched) < 100,
        measured: `${round(Math.max(again.nothing, again.touched))} ms`,
      },
      {
        says: 'a refresh takes under 150 ms when one session changed',
        holds: again.one < 150,
        measured: `${round(again.one)} ms`,
      },
      { says: 'a search takes under 30 ms at p95', holds: found < 30, measured: `p95 ${round(found)} ms` },
      { says: 'memory stays under 300 MB', holds: memory < 300, measured: `${round(memory)} MB` },
      {
        says: 'the event loop is under 20 ms late at p99 while the index is made',
        holds: delay < 20,
        measured: `p99 ${round(delay)} ms`,
      },
    ],
  })
} finally {
  rmSync(folder, { recursive: true, force: true })
}
