import { workerData } from 'node:worker_threads'
import { type KnowledgeIndex, openKnowledgeIndex } from '@panoptes/engine/ledger'
import { giveWay, type Handlers, orThrow, Refused, serve } from '@panoptes/engine/threads'
import type { Failure } from '@panoptes/schema'
import { failure } from '@panoptes/schema/result'
import type { IndexerCalls, SearcherCalls, WorkerSetup } from './calls.ts'
import { rootsOf } from './folders.ts'
import { refresh } from './refresh.ts'
import { FolderWatch } from './watch.ts'

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
  let waiting: ((changed: boolean) => void)[] = []
  let isChanged = false
  const tell = (changed: boolean) => {
    isChanged = changed && waiting.length === 0
    for (const each of waiting) each(changed)
    waiting = []
  }
  const watched = new FolderWatch(() => tell(true))
  giveWay()
  return {
    open: () => {
      index()
      return null
    },
    refresh: async ({ stopped, progress }, folders) => {
      isChanged = false
      const roots = rootsOf(folders)
      const bring = () => refresh({ index: index(), roots, limits, stopped, progress })
      const { folders: seen, ...told } = await bring().catch((error: unknown) => {
        if (!(error instanceof Refused) || error.failure.code !== 'corrupt') throw error
        // It is opened anew, and made again where it is damaged.
        close()
        return bring()
      })
      if (!stopped()) watched.follow(seen)
      return told
    },
    changed: () => {
      if (!isChanged) return new Promise<boolean>((resolve) => waiting.push(resolve))
      isChanged = false
      return true
    },
    close: () => {
      watched.close()
      tell(false)
      close()
      return null
    },
  }
}

const searcher = (): Handlers<SearcherCalls> => ({
  search: async (_job, text, most) => {
    const found = await index().search(text, most)
    if (found.ok) return found.value
    // It may have been made anew meanwhile.
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
