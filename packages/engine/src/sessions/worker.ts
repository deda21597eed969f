import { workerData } from 'node:worker_threads'
import { ForgottenSessions, openSqliteIndex, type SessionIndex } from '@panoptes/engine/ledger'
import { createPrices } from '@panoptes/engine/models'
import { openSources } from '@panoptes/engine/sources'
import { type Handlers, serve } from '@panoptes/engine/threads'
import type { Failure } from '@panoptes/schema'
import { failure } from '@panoptes/schema/result'
import type { IndexerCalls, SearcherCalls, WorkerSetup } from './calls.ts'
import { exportSession } from './export/export.ts'
import { withoutForgotten } from './forgotten.ts'
import { refresh } from './refresh.ts'
import { orThrow, Refused } from './refused.ts'
import { search } from './search.ts'
import { outline, type Reading, transcript, wholeMessage } from './transcript.ts'
import { createTurns } from './turns.ts'

const setup = workerData as WorkerSetup
const { role, file, env, prices } = setup
const forgotten = new ForgottenSessions(setup.forgotten)
const sources = new Map(
  openSources(env).map((source) => [source.name, withoutForgotten(source, forgotten)]),
)
let opened: SessionIndex | undefined

const index = (): SessionIndex => {
  opened ??= orThrow(openSqliteIndex(file, { readOnly: role === 'searcher' }))
  return opened
}

const open = (): null => {
  index()
  return null
}

const close = async (): Promise<null> => {
  await opened?.close()
  return null
}

function indexer(): Handlers<IndexerCalls> {
  const known = createPrices(prices)
  const turns = createTurns()
  return {
    open,
    refresh: (job, name) =>
      turns.beside(async (stop) => {
        const source = sources.get(name)
        if (source === undefined) throw new Refused(failure('not_found', `There is no source ${name}.`))
        const onProgress = ({ done, total }: { done: number; total: number }) => {
          job.progress(done, total)
          if (job.stopped()) stop.abort()
        }
        return orThrow(
          await refresh({ source, index: index(), prices: known, signal: stop.signal, onProgress }),
        )
      }),
    forget: (_job, refs) =>
      turns.alone(async () => {
        for (const ref of refs) forgotten.add(ref)
        return orThrow(await index().forget(refs))
      }),
    close,
  }
}

function searcher(): Handlers<SearcherCalls> {
  const known = createPrices(prices)
  const reading = (): Reading => ({ index: index(), sources, prices: known })
  return {
    open,
    list: async (_job, query) => orThrow(await index().list(query)),
    stats: async (_job, filter, by) => orThrow(await index().stats(filter, by)),
    search: (_job, query) => search(index(), sources, query),
    transcript: (_job, query) => transcript(reading(), query),
    message: (_job, query) => wholeMessage(reading(), query),
    export: (_job, query) => exportSession(reading(), query),
    outline: (_job, ref) => outline(reading(), ref),
    close,
  }
}

const failed = (error: unknown): Failure =>
  error instanceof Refused
    ? error.failure
    : failure(
        'io',
        `The sessions could not be read: ${error instanceof Error ? error.message : error}. Try again.`,
      )

if (role === 'indexer') serve(indexer(), failed)
else serve(searcher(), failed)
