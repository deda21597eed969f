import type { BackupReply, RebuildReply } from '@panoptes/schema'
import { queryClient } from '../api/client.ts'
import { type HealthReply, healthQuery, statusQuery } from '../api/queries.ts'
import { postJson, RequestFailure, runWork } from '../api/request.ts'
import { createStore, type Store } from '../store.ts'

export type WorkState<T> =
  | { readonly phase: 'idle' }
  /** `slow` becomes true after half a second; only then a progress bar is worth showing. */
  | { readonly phase: 'running'; readonly done: number; readonly total: number; readonly slow: boolean }
  | { readonly phase: 'stopped' }
  | { readonly phase: 'done'; readonly value: T }
  | { readonly phase: 'failed'; readonly message: string; readonly next: string | null }

/** A long operation on the server that outlives the component that started it. */
export interface Work<T> {
  readonly state: Store<WorkState<T>>
  readonly start: () => Promise<void>
  readonly stop: () => void
}

const SLOW_MS = 500

function createWork<T>(path: string, body: unknown): Work<T> {
  const state = createStore<WorkState<T>>({ phase: 'idle' })
  let abort: AbortController | undefined
  const updateRunning = (change: { done?: number; total?: number; slow?: boolean }) =>
    state.update((now) => (now.phase === 'running' ? { ...now, ...change } : now))
  return {
    state,
    stop: () => abort?.abort(),
    start: async () => {
      if (state.get().phase === 'running') return
      abort = new AbortController()
      const { signal } = abort
      state.set({ phase: 'running', done: 0, total: 0, slow: false })
      const timer = setTimeout(() => updateRunning({ slow: true }), SLOW_MS)
      try {
        const onProgress = (done: number, total: number) => updateRunning({ done, total })
        state.set({ phase: 'done', value: await runWork<T>(path, body, { onProgress, signal }) })
      } catch (error) {
        state.set(signal.aborted ? { phase: 'stopped' } : failed(error))
      }
      clearTimeout(timer)
      void queryClient.invalidateQueries({ queryKey: statusQuery.queryKey })
    },
  }
}

function failed(error: unknown): WorkState<never> {
  const next = error instanceof RequestFailure ? error.next : null
  return { phase: 'failed', message: error instanceof Error ? error.message : String(error), next }
}

export const backupWork = createWork<BackupReply>('/api/backup', {})
export const checkWork = createWork<RebuildReply>('/api/rebuild', { check: true })
export const rebuildWork = createWork<RebuildReply>('/api/rebuild', { check: false })

/** Runs every check again and shows the results. */
export async function checkHealth(): Promise<HealthReply> {
  const reply = await postJson<HealthReply>('/api/health')
  queryClient.setQueryData(healthQuery.queryKey, reply)
  return reply
}
