import { workerData } from 'node:worker_threads'
import { type KnowledgeIndex, openKnowledgeIndex } from '@panoptes/engine/store'
import { type Handlers, lowerPriority, orThrow, Refused, serve } from '@panoptes/engine/worker-rpc'
import type { Failure } from '@panoptes/schema'
import { failure } from '@panoptes/schema/result'
import type { IndexerCalls, SearcherCalls, WorkerSetup } from './calls.ts'
import { refresh } from './refresh.ts'
import { resolveRoots } from './walk.ts'

const { role, file, limits } = workerData as WorkerSetup
let opened: KnowledgeIndex | undefined

const index = (): KnowledgeIndex => {
  opened ??= orThrow(openKnowledgeIndex(file, { readOnly: role === 'searcher' }))
  return opened
}

const close = (): void => {
  opened?.close()
  opened = undefined
}

function indexer(): Handlers<IndexerCalls> {
  lowerPriority()
  return {
    open: () => {
      index()
      return null
    },
    refresh: async ({ stopped, progress }, folders) => {
      const roots = resolveRoots(folders)
      const bring = () => refresh({ index: index(), roots, limits, stopped, progress })
      return bring().catch((error: unknown) => {
        if (!(error instanceof Refused) || error.failure.code !== 'corrupt') throw error
        // The index is reopened, and rebuilt when it is damaged.
        close()
        return bring()
      })
    },
    close: () => {
      close()
      return null
    },
  }
}

const searcher = (): Handlers<SearcherCalls> => ({
  search: async (_job, text, most) => {
    const found = await index().search(text, most)
    if (found.ok) return found.value
    // The index may have been rebuilt meanwhile.
    close()
    return orThrow(await index().search(text, most))
  },
  close: () => {
    close()
    return null
  },
})

const failed = (error: unknown): Failure =>
  error instanceof Refused
    ? error.failure
    : failure('io', `The index ${file} failed: ${error instanceof Error ? error.message : String(error)}.`)

if (role === 'indexer') serve<IndexerCalls>(indexer(), failed)
else serve<SearcherCalls>(searcher(), failed)
